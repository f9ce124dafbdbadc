"""Environment errors of `gluepot board`: a one-line message with the next step."""

import subprocess
from pathlib import Path

import pytest
from tests.board.made import without_board
from tests.board.serving import gluepot

pytest.importorskip("django", reason="needs the extra 'board'")


def refused(*words: str, **environment: str) -> str:
    """Run a command that must fail and return its error output."""
    ended = subprocess.run(gluepot(*words), capture_output=True, text=True, env=without_board() | environment, timeout=60)
    assert ended.returncode in (1, 2)
    assert "Traceback" not in ended.stderr
    return ended.stderr


def test_unreachable_database_is_reported_with_its_setting(tmp_path: Path) -> None:
    told = refused("board", "serve", "--dir", str(tmp_path), GLUEPOT_DATABASE_URL="postgresql://nobody:s3cret@127.0.0.1:1/x")
    assert told.startswith("gluepot: the board's database does not answer:")
    assert "GLUEPOT_DATABASE_URL" in told
    assert "s3cret" not in told


def test_invalid_port_is_refused(tmp_path: Path) -> None:
    assert "99999 is not a port: 0 to 65535" in refused("board", "serve", "--port", "99999", "--dir", str(tmp_path))


def test_folder_that_cannot_be_created_is_named() -> None:
    assert refused("board", "serve", "--dir", "/proc/nowhere").startswith("gluepot: /proc/nowhere")
