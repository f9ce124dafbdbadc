"""A folder for a board, and the two sorts of people who use one."""

import os
from pathlib import Path

import pytest
from tests.board.users import MYSELF, Somebody, ordinary_user


@pytest.fixture(params=["root", "ordinary user"])
def somebody(request: pytest.FixtureRequest) -> Somebody:
    """Root, for whom PostgreSQL must run as another, and somebody who is not."""
    if request.param == "root" and os.geteuid() != 0:
        pytest.skip("needs root")
    return MYSELF if request.param == "root" else ordinary_user()


@pytest.fixture
def folder(board_place: Path, somebody: Somebody) -> Path:
    """Where they may make a board."""
    if somebody.identity:
        os.chown(board_place, somebody.identity["user"], somebody.identity["group"])
    return board_place / "board"
