"""Fixture for annotation rounds on the shared database."""

import pytest


@pytest.fixture
def rounds(board_folder):
    """Empty the tables of rounds."""
    from tests.board.emptying import empty_tables

    empty_tables("rounds")
