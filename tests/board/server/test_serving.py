"""End-to-end tests of `gluepot board serve`: start, requests, shutdown."""

import re
import signal
import subprocess
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from tests.board.made import without_board
from tests.board.serving import gluepot, import_into, served

pytest.importorskip("django", reason="needs the extra 'board'")
pytestmark = pytest.mark.slow


def read(address: str) -> str:
    with urlopen(address, timeout=30) as answer:
        return str(answer.read().decode())


def processes_about(folder: Path) -> list[str]:
    return [
        command
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if path.is_file() and str(folder) in (command := path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    ]


def test_board_keeps_its_data_across_restarts(board_place: Path) -> None:
    folder = board_place / "board"
    import_into(folder, "--published")
    with served(folder) as address:
        first = read(f"{address}/b/russian-superglue/1.1.json")
        assert "HUMAN BENCHMARK" in first
        assert "Golden Transformer" in read(f"{address}/b/russian-superglue/1.1")
    assert processes_about(folder) == []
    with served(folder, signal.SIGTERM) as address:
        assert read(f"{address}/b/russian-superglue/1.1.json") == first
    assert processes_about(folder) == []


def test_import_is_visible_on_a_running_board(board_place: Path) -> None:
    folder = board_place / "board"
    with served(folder) as address:
        assert "gluepot board import" in read(f"{address}/")
        with pytest.raises(HTTPError, match="404"):
            read(f"{address}/b/basqueglue/1.0")
        import_into(folder, "--published")
        assert "ElhBERTeu" in read(f"{address}/b/basqueglue/1.0")


def test_port_in_use_is_a_one_line_error(board_place: Path) -> None:
    with served(board_place / "one") as address:
        port = re.search(r":(\d+)$", address)
        assert port
        words = gluepot("board", "serve", "--dir", str(board_place / "two"), "--port", port[1])
        ended = subprocess.run(words, capture_output=True, text=True, env=without_board())
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"gluepot: port {port[1]} of 127.0.0.1 cannot be opened: Address already in use.")
    assert "Traceback" not in ended.stderr
