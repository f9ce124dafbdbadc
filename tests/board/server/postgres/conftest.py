"""Fixtures for a board folder and the two kinds of users, root and ordinary."""

import os
from pathlib import Path

import pytest
from tests.board.users import MYSELF, Somebody, ordinary_user


@pytest.fixture(params=["root", "ordinary user"])
def somebody(request: pytest.FixtureRequest) -> Somebody:
    """Root, for whom PostgreSQL must run as another user, or an ordinary user."""
    if request.param == "root" and os.geteuid() != 0:
        pytest.skip("needs root")
    return MYSELF if request.param == "root" else ordinary_user()


@pytest.fixture
def folder(board_place: Path, somebody: Somebody) -> Path:
    """Return a folder in which that user can create a board."""
    if somebody.identity:
        os.chown(board_place, somebody.identity["user"], somebody.identity["group"])
    return board_place / "board"
