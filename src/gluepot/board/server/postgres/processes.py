"""Server processes that somebody left behind: found by the folder they work in, never by a number alone."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
POLITE = 10.0
"""Seconds that a server without a supervisor, or what is left of a killed one, has to end by itself."""


def server_processes(data: Path) -> list[int]:
    """PostgreSQL's processes on this data: all of them work in its folder. Empty where the system does not tell (macOS)."""
    if not PROC.is_dir() or not data.is_dir():
        return []
    return [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit() and _works_in(entry, data)]


def _works_in(entry: Path, data: Path) -> bool:
    try:
        return (entry / "comm").read_text(encoding="utf-8", errors="replace").strip() == "postgres" and (entry / "cwd").samefile(data)
    except OSError:  # it ended meanwhile, or is somebody else's
        return False


def recorded_process(data: Path) -> int | None:
    """The number in `postmaster.pid`, whoever has it today."""
    try:
        return int((data / "postmaster.pid").read_text(encoding="utf-8").split()[0])
    except (OSError, ValueError, IndexError):
        return None


def stop_leftovers(data: Path, polite: float = POLITE) -> None:
    """End a server that lost its supervisor, and wait for what a killed one left; the data is safe after either."""
    left, end = server_processes(data), time.monotonic() + polite
    if recorded_process(data) in left:
        _tell(recorded_process(data), signal.SIGINT)  # a fast shutdown
    while left := server_processes(data):
        if time.monotonic() > end:
            for number in left:
                _tell(number, signal.SIGKILL)
        time.sleep(0.02)


def _tell(number: int | None, what: signal.Signals) -> None:
    if number is not None:
        with suppress(ProcessLookupError):
            os.kill(number, what)
