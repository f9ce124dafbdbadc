"""Workers that run programs: killed, terminated, or repeatedly ended by the program, without orphaned processes or jobs."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.board.submitting.proposing import HUNGRY, allowed, needs_bubblewrap, proposed
from tests.board.users import wait_for


@needs_bubblewrap
def test_program_ends_with_its_killed_worker_and_is_retried(
    ann: Any, client_of: Callable[[Any], Any], open_board: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gluepot.board.server.workers import Workers
    from gluepot.board.submitting.models import Upload

    monkeypatch.setenv("GLUEPOT_PROGRAM_MEMORY", "300")
    mark = "3.0625"
    program = allowed(proposed(client_of(ann), f"import time\ntime.sleep({mark})\n{HUNGRY}", command=f"command:python3 model.py {mark}"))
    crew = Workers(open_board, 1)
    try:
        assert wait_for(lambda: running_with(mark), 90)
        (process,) = crew.processes
        process.kill()
        assert wait_for(lambda: not running_with(mark), 30), "what it ran is ended with it"
        assert wait_for(lambda: Upload.objects.get().state == "failed", 120)
    finally:
        crew.close()
    program.refresh_from_db()
    assert program.upload.attempts == 2
    assert "held more than 300 MiB" in program.upload.reason


@needs_bubblewrap
def test_terminated_worker_does_not_wait_for_its_program_and_leaves_no_processes(
    ann: Any, client_of: Callable[[Any], Any], open_board: Path
) -> None:
    from gluepot.board.server.workers import Workers
    from gluepot.board.submitting.models import Upload

    mark = "900.0625"
    allowed(proposed(client_of(ann), f"import time\ntime.sleep({mark})\n", command=f"command:python3 model.py {mark}"))
    crew = Workers(open_board, 1)
    try:
        assert wait_for(lambda: running_with(mark), 90)
        (process,) = crew.processes
        crew.stopping.set()
        process.terminate()
        assert wait_for(lambda: process.poll() is not None, 60), "it ended by itself"
    finally:
        crew.close()
    assert wait_for(lambda: not running_with(mark), 30)
    assert Upload.objects.get().state == "scoring", "for the next one to take up"


def running_with(mark: str) -> list[str]:
    """Return the processes with this word in their command line."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            found += [entry.name] if mark.encode() in words else []
    return found


def test_program_that_kills_every_worker_fails(ann: Any, client_of: Callable[[Any], Any], work: Callable[[], None]) -> None:
    from gluepot.board.submitting.programs.settings import MOST
    from gluepot.board.submitting.scoring import private_scores

    program = allowed(proposed(client_of(ann)))
    for _ in range(MOST):
        private_scores._begin(str(program.upload.key))  # simulates a worker that is killed afterwards
    work()
    program.refresh_from_db()
    assert program.upload.state == "failed"
    assert f"begun {MOST} times" in program.upload.reason
    assert not program.records.name
