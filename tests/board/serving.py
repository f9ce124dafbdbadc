"""Real server for tests: `gluepot board serve` in a separate process on a free port."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.board.made import make_board, without_board


def gluepot(*words: str) -> list[str]:
    return [sys.executable, "-m", "gluepot", *words]


def import_into(folder: Path, *what: str, expected: int = 0) -> None:
    """Import results into the board in this folder."""
    make_board(folder)
    done = subprocess.run(gluepot("board", "import", *what, "--dir", str(folder)), capture_output=True, text=True, env=without_board())
    assert done.returncode == expected, done.stderr


@contextmanager
def served(
    folder: Path, end: signal.Signals = signal.SIGINT, lost: int = 0, host: str = "127.0.0.1", workers: int = 0, **environment: str
) -> Iterator[str]:
    """Serve a board and yield its address; `end` must then stop it cleanly, with `lost` messages of a lost database."""
    make_board(folder)
    words = gluepot("board", "serve", "--dir", str(folder), "--host", host, "--port", "0", "--workers", str(workers))
    settings = without_board() | environment
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=settings)
    assert process.stdout is not None
    line = process.stdout.readline()
    try:
        yield line.split()[0].rstrip("/")
    finally:
        process.send_signal(end)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert told == "the database was lost; it is started again.\n" * lost + "stopped; all data are stored.\n", told
