"""The embedded server is waited for while another process starts or stops it."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Timer
from time import monotonic

from gluepot.board.database import _wait_for_others


def waited(path: Path, seconds: float = 5) -> float:
    started = monotonic()
    _wait_for_others(path, seconds)
    return monotonic() - started


def test_no_server_a_dead_one_and_a_ready_one_are_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "postmaster.pid"
    assert waited(path) < 0.1
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    path.write_text(f"{ended.pid}\n/x\nstopping\n")
    assert waited(path) < 0.1
    path.write_text(f"{os.getpid()}\n/x\nready   \n")
    assert waited(path) < 0.1
    path.write_text("")
    assert waited(path) < 0.1


def test_a_server_that_is_being_stopped_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "postmaster.pid"
    path.write_text(f"{os.getpid()}\n/x\nstopping\n")
    Timer(0.3, path.unlink).start()
    assert 0.2 < waited(path) < 3
    path.write_text(f"{os.getpid()}\n/x\nstarting\n")
    assert waited(path, 0.3) >= 0.3
