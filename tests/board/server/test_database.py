"""Database settings of a board, embedded or external: passed to Django alone, and free of leaked secrets."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("django", reason="needs the board's extra")


def test_address_of_the_embedded_server_is_not_exported(board_folder: Path) -> None:
    from django.db import connection

    assert connection.settings_dict["HOST"] == str(board_folder / "database")
    assert "GLUEPOT_DATABASE_URL" not in os.environ


def test_open_board_is_not_opened_twice(board_folder: Path) -> None:
    from gluepot.board.server import database

    before = database._server
    database.open_database(board_folder)
    assert database._server is before


def test_unrelated_postgresql_environment_variables_are_ignored(board_place: Path) -> None:
    script = "import sys; from pathlib import Path; from gluepot.board.server.setup import open_board; open_board(Path(sys.argv[1]))"
    odd = {"PGPORT": "1234", "PGHOST": "nowhere.invalid", "PGDATA": "/nowhere", "PGUSER": "nobody", "LANG": "xx_YY", "LC_ALL": "xx_YY"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GLUEPOT_", "DJANGO"))}
    done = subprocess.run([sys.executable, "-c", script, str(board_place)], env=kept | odd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_empty_secret_key_file_is_replaced(tmp_path: Path) -> None:
    from gluepot.board.server.setup import secret_key

    (tmp_path / "secret-key").touch()
    made = secret_key(tmp_path)
    assert len(made) > 50
    assert secret_key(tmp_path) == made
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret-key"]


@pytest.mark.parametrize("url", ["mysql://db.example/x", "no://where", "postgresql://db.example:port/x", "nonsense", "sqlite://:memory:"])
def test_non_postgresql_url_is_a_usage_error_without_its_password(url: str) -> None:
    from gluepot.board.server.database import connection_settings
    from gluepot.errors import WrongUse

    with pytest.raises(WrongUse, match="a PostgreSQL address is needed") as told:
        connection_settings(url.replace("//db", "//ann:s3cret@db"))
    assert "s3cret" not in str(told.value)


def test_url_is_parsed_into_django_settings() -> None:
    from gluepot.board.server.database import connection_settings

    found = connection_settings("postgresql://ann:s%40fe@db.example:5433/board%2Fone?sslmode=require&connect_timeout=3")
    assert (found["NAME"], found["USER"], found["PASSWORD"]) == ("board/one", "ann", "s@fe")
    assert (found["HOST"], found["PORT"]) == ("db.example", 5433)
    assert found["OPTIONS"] == {"sslmode": "require", "connect_timeout": 3}
    assert connection_settings("postgres:///")["NAME"] == "gluepot"
