"""Board fixtures: one embedded PostgreSQL per worker, emptied before each test."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.board.made import make_board


@pytest.fixture(scope="session")
def board_folder(shared_place: Path) -> Iterator[Path]:
    """Open a board. Django is set up once per process, so no other fixture opens one."""
    pytest.importorskip("django", reason="needs the board's extra")
    os.environ["GLUEPOT_BOARD"] = str(shared_place)
    from gluepot.board.server.database import close_database
    from gluepot.board.server.setup import open_board

    make_board(shared_place)
    open_board(shared_place)
    from django.db import connections

    yield shared_place
    connections.close_all()
    close_database()


@pytest.fixture(scope="session", autouse=True)
def django_is_set_up(board_folder: Path) -> None:
    """Set up Django before the board's plug-ins are loaded: they need it and are loaded once per process."""


@pytest.fixture
def board(board_folder: Path) -> Path:
    """Return the same board, emptied."""
    from tests.board.emptying import empty_tables

    from gluepot.board.standings.ranking import forget

    empty_tables("board")
    forget()
    return board_folder
