"""PostgreSQL programs as child processes: under the right user, without a terminal, ended with the parent, output logged."""

import ctypes
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from gluepot.board.server.postgres.accounts import Account
from gluepot.board.server.postgres.processes import recorded_process

LONGEST_LOG = 2**20
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class Child:
    """A process of `initdb` or `postgres` on a data folder."""

    def __init__(self, program: Path, data: Path, words: Sequence[str], account: Account | None, log: Path) -> None:
        self.said: deque[str] = deque(maxlen=50)
        self.log = log
        folder = os.open(data, os.O_RDONLY | os.O_DIRECTORY)
        hidden = account is not None and not account.may_reach(data)
        if hidden:
            words = [
                *words,
                *(["-c", f"gluepot.board={data}"] if program.name == "postgres" else []),
            ]  # shows the data folder in the process list
        # a path through the open descriptor, so that no parent folder needs wider permissions
        named = f"/proc/self/fd/{folder}" if hidden else str(data)
        try:
            self.process = _started([str(program), "-D", named, *words], account, data, folder)
        finally:
            os.close(folder)
        self.reader = Thread(target=self._read, daemon=True)
        self.reader.start()

    @property
    def pid(self) -> int:
        return self.process.pid

    def tell(self, what: signal.Signals) -> None:
        self.process.send_signal(what)

    def kill(self) -> None:
        """Kill the process and its children immediately."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def runs(self) -> bool:
        return self.process.poll() is None

    def wait(self) -> int:
        """Wait until the process has ended and its output is read; return its exit code."""
        code = self.process.wait()
        self.reader.join(5)
        return code

    @property
    def reason(self) -> str:
        """Reason of a failure: the last error messages, else the last line of output."""
        marks = ("FATAL:", "PANIC:", "ERROR:", "error:")
        told = [line[line.index(mark) + len(mark) :].strip() for line in self.said for mark in marks if mark in line]
        return ". ".join(dict.fromkeys(told[-2:])) or (self.said[-1] if self.said else "it ended without a word")

    def _read(self) -> None:
        """Append the output to the log; the last lines also stay in memory, so that a full disk does not hide the reason of a failure."""
        assert self.process.stdout is not None
        with suppress(OSError):
            if self.log.stat().st_size > LONGEST_LOG:
                self.log.rename(self.log.with_name(f"{self.log.name}.old"))
        for line in self.process.stdout:
            self.said.append(line.decode("utf-8", "replace").rstrip())
            with suppress(OSError), self.log.open("ab") as target:
                target.write(line)


def _started(words: list[str], account: Account | None, data: Path, folder: int) -> subprocess.Popen[bytes]:
    parent = os.getpid()
    whom: Mapping[str, Any] = {"user": account.uid, "group": account.gid, "extra_groups": []} if account else {}
    return subprocess.Popen(
        words,
        cwd="/",
        env=_environment(data),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=[folder],
        process_group=0,
        preexec_fn=lambda: _end_with(parent),
        **whom,
    )


def _environment(data: Path) -> dict[str, str]:
    """Return a minimal environment: no settings for other servers, no keys, and the PID of an old `postmaster.pid`, so that it is ignored.

    No server is left on the data at this point, so a process that has this PID now is unrelated.
    """
    kept = {name: os.environ[name] for name in ("PATH", "TZ", "TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}
    stale = recorded_process(data)
    return {**kept, "LC_ALL": "C"} | ({"PG_GRANDPARENT_PID": str(stale)} if stale else {})


def _end_with(parent: int) -> None:
    """Arrange, in the child, a fast shutdown when the parent dies; Linux only."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
        if os.getppid() != parent:
            os._exit(1)
