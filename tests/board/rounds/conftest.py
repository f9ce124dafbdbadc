"""Rounds on the database that tests share."""

import pytest


@pytest.fixture
def rounds(board_folder):
    """The tables of rounds, empty."""
    from tests.board.emptying import empty_tables

    empty_tables("rounds")
