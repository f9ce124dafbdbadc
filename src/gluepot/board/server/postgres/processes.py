"""Leftover server processes, found by their working directory, never by PID alone."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
POLITE = 10.0
"""Seconds that a server without a supervisor, or the remains of a killed one, have to exit by themselves."""


def server_processes(data: Path) -> list[int]:
    """Return the PIDs of PostgreSQL on this data: its folder is their working directory. Empty where there is no /proc (macOS)."""
    if not PROC.is_dir() or not data.is_dir():
        return []
    return [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit() and _works_in(entry, data)]


def _works_in(entry: Path, data: Path) -> bool:
    try:
        return (entry / "comm").read_text(encoding="utf-8", errors="replace").strip() == "postgres" and (entry / "cwd").samefile(data)
    except OSError:  # it has exited meanwhile, or belongs to another user
        return False


def recorded_process(data: Path) -> int | None:
    """Return the PID in `postmaster.pid`, whichever process has it now."""
    try:
        return int((data / "postmaster.pid").read_text(encoding="utf-8").split()[0])
    except (OSError, ValueError, IndexError):
        return None


def stop_leftovers(data: Path, polite: float = POLITE) -> None:
    """Stop a server that lost its supervisor, and wait for the remains of a killed one; the data is safe after either."""
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
