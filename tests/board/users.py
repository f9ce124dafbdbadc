"""Processes that use a board's embedded server, as the user running the tests or as an ordinary user, and queries for what is left."""

import os
import pwd
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from tests.board.made import without_board

import gluepot

HOLD = """
import sys
from pathlib import Path
from gluepot.board.server.postgres.server import Server
server = Server(Path(sys.argv[1]), "gluepot")
server.open()
print("open", flush=True)
sys.stdin.read()
"""
"""Script that uses the server until its standard input ends."""


@dataclass(frozen=True)
class Somebody:
    """User and Python interpreter of a process."""

    python: str = sys.executable
    identity: dict[str, Any] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)

    def start(self, *words: str, **more: Any) -> subprocess.Popen[str]:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
        return subprocess.Popen([self.python, *words], env=without_board() | self.environment, **{**pipes, **self.identity, **more})

    def gluepot(self, *words: str) -> subprocess.CompletedProcess[str]:
        process = self.start("-m", "gluepot", *words)
        out, told = process.communicate(timeout=120)
        return subprocess.CompletedProcess(words, process.returncode, out, told)

    @contextmanager
    def holding(self, folder: Path) -> Iterator[subprocess.Popen[str]]:
        """Run a process that uses the board's server until the end of the block."""
        with self.start("-c", HOLD, str(folder)) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "open\n", process.communicate()
            yield process


MYSELF = Somebody()


def ordinary_user() -> Somebody:
    """Return an unprivileged user, or the current one unless root; skip the test if that user can run no Python with gluepot."""
    if os.geteuid() != 0:
        return MYSELF
    entry = pwd.getpwnam("nobody")
    identity = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    paths = [str(Path(gluepot.__file__).parents[1]), sysconfig.get_path("purelib")]
    environment = {"PYTHONPATH": os.pathsep.join(paths), "HOME": "/nonexistent"}
    for python in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        try:
            tried = subprocess.run([python, "-c", "import psycopg, gluepot"], cwd="/", env=environment, capture_output=True, **identity)
        except OSError:
            continue
        if tried.returncode == 0:
            return Somebody(python, identity, environment)
    pytest.skip("no Python here that an ordinary user may run, with gluepot")


def processes_of(folder: Path) -> list[str]:
    """Return the servers and supervisors of a board, found by working folder or command line; zombies are excluded."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            named = str(folder) in (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            works = (entry / "cwd").resolve().is_relative_to(folder.resolve())
            if (named or works) and int(entry.name) != os.getpid():
                found.append(f"{entry.name} {(entry / 'comm').read_text().strip()}")
        except OSError:
            continue
    return found


def wait_for(what: Any, seconds: float = 30) -> bool:
    """Wait until the condition is true; return whether it was within the timeout."""
    end = monotonic() + seconds
    while not what():
        if monotonic() > end:
            return False
        sleep(0.02)
    return True


def postmaster(folder: Path) -> int:
    """Return the process ID of the server."""
    return int((folder / "database" / "postmaster.pid").read_text().split()[0])


def is_ready(folder: Path) -> bool:
    try:
        return "ready" in (folder / "database" / "postmaster.pid").read_text()
    except OSError:
        return False


def kill_server(folder: Path) -> None:
    os.kill(postmaster(folder), signal.SIGKILL)
