"""A board for tests: one embedded PostgreSQL a worker, emptied before each test."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture(scope="session")
def board_folder() -> Iterator[Path]:
    """An open board. Django is set up once a process, so this is the only place that opens one."""
    pytest.importorskip("django", reason="needs the board's extra")
    with TemporaryDirectory(prefix="gluepot-board-", ignore_cleanup_errors=True) as folder:
        os.environ["GLUEPOT_BOARD"] = folder
        from gluepot.board.server.database import close_database
        from gluepot.board.server.setup import open_board

        open_board(Path(folder))
        from django.db import connections

        yield Path(folder)
        connections.close_all()
        close_database()


@pytest.fixture
def board(board_folder: Path) -> Path:
    """The same board without an entry in it."""
    from django.apps import apps
    from django.db import connection

    tables = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in apps.get_app_config("board").get_models())
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")
    from gluepot.board.standings.ranking import forget

    forget()
    return board_folder
