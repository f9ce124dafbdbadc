"""The database of a board: whichever it is, Django is told how to reach it, and nobody else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("django", reason="needs the board's extra")


def test_the_embedded_servers_address_is_kept_from_other_programs(board_folder: Path) -> None:
    from django.db import connection

    assert connection.settings_dict["HOST"] == str(board_folder / "database")
    assert "GLUEPOT_DATABASE_URL" not in os.environ


def test_a_board_that_is_open_is_not_opened_twice(board_folder: Path) -> None:
    from gluepot.board.server import database

    before = database._server
    database.open_database(board_folder)
    assert database._server is before


def test_settings_for_other_servers_in_the_environment_change_nothing(board_place: Path) -> None:
    script = "import sys; from pathlib import Path; from gluepot.board.server.setup import open_board; open_board(Path(sys.argv[1]))"
    odd = {"PGPORT": "1234", "PGHOST": "nowhere.invalid", "PGDATA": "/nowhere", "PGUSER": "nobody", "LANG": "xx_YY", "LC_ALL": "xx_YY"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GLUEPOT_", "DJANGO"))}
    done = subprocess.run([sys.executable, "-c", script, str(board_place)], env=kept | odd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_key_that_a_full_disk_left_empty_is_made_anew(tmp_path: Path) -> None:
    from gluepot.board.server.setup import secret_key

    (tmp_path / "secret-key").touch()
    made = secret_key(tmp_path)
    assert len(made) > 50
    assert secret_key(tmp_path) == made
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret-key"]


@pytest.mark.parametrize("url", ["mysql://db.example/x", "no://where", "postgresql://db.example:port/x", "nonsense", "sqlite://:memory:"])
def test_an_address_of_no_postgresql_is_wrong_use_and_its_password_is_not_told(url: str) -> None:
    from gluepot.board.server.database import connection_settings
    from gluepot.errors import WrongUse

    with pytest.raises(WrongUse, match="a PostgreSQL address is needed") as told:
        connection_settings(url.replace("//db", "//ann:s3cret@db"))
    assert "s3cret" not in str(told.value)


def test_an_address_says_what_django_needs() -> None:
    from gluepot.board.server.database import connection_settings

    found = connection_settings("postgresql://ann:s%40fe@db.example:5433/board%2Fone?sslmode=require&connect_timeout=3")
    assert (found["NAME"], found["USER"], found["PASSWORD"]) == ("board/one", "ann", "s@fe")
    assert (found["HOST"], found["PORT"]) == ("db.example", 5433)
    assert found["OPTIONS"] == {"sslmode": "require", "connect_timeout": 3}
    assert connection_settings("postgres:///")["NAME"] == "gluepot"
