"""Rank score of EuroEval, on worked examples."""

import numpy as np
import pytest
from tests.board.conftest import board_folder as board_folder

pytest.importorskip("django", reason="needs the extra 'board'")


@pytest.fixture
def opened(board_folder: object) -> None:
    """Django set up by the board fixture."""


def test_a_significantly_worse_system_falls_behind_by_its_distance_and_becomes_the_anchor(opened: None) -> None:
    from gluepot.published.importing.rank_score import dataset_ranks

    means = np.array([0.70, 0.50, 0.69, 0.49])
    spread = np.std(means)
    ranks = dataset_ranks(means, np.full(4, 0.02), np.full(4, 10.0))
    behind = 1 + (0.70 - 0.50) / spread
    assert ranks == pytest.approx([1, behind, 1, behind])


def test_overlapping_repetitions_share_a_rank(opened: None) -> None:
    from gluepot.published.importing.rank_score import dataset_ranks

    assert dataset_ranks(np.array([0.7, 0.5]), np.full(2, 0.5), np.full(2, 10.0)).tolist() == [1.0, 1.0]
