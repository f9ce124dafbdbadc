"""Likelihoods from logits."""

import pytest
import torch

from gluepot.models.lm.inference.scoring import log_sums


@pytest.mark.parametrize(("rows", "words"), [(1, 7), (3, 2**20), (40, 2**16)])
def test_sums_some_rows_at_a_time_are_those_of_all_at_once(rows: int, words: int) -> None:
    torch.manual_seed(0)
    logits = 30 * torch.randn(rows, words)
    assert torch.allclose(log_sums(logits), logits.logsumexp(-1), rtol=1e-6)
