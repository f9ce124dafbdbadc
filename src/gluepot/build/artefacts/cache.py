"""Artefact reports on disk, kept by what they were made from: two models are fitted for each, and pages of tasks ask for all of them."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

import gluepot
from gluepot.files import write_whole
from gluepot.models.caches import cache_root
from gluepot.records import Task

Report = TypeVar("Report", bound=msgspec.Struct)
CODE = ("build/artefacts", "models/features", "models/baselines", "data", "answers")
"""Rooms whose code a report depends on."""


def kept_report(task: Task, files: Iterable[Path], kind: type[Report], make: Callable[[], Report]) -> Report:
    """The report of a task's files from the cache, else as it is made now; what is broken there is made again."""
    path = cache_root() / "artefacts" / f"{report_key(task, files)}.json"
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(path.read_bytes(), type=kind)
    made = make()
    with suppress(OSError):  # a full disk, or one that is only read, is no reason to fail
        write_whole(path, msgspec.json.encode(made))
    return made


def report_key(task: Task, files: Iterable[Path]) -> str:
    """All that a report depends on: the declaration, the files, and the code that looks through them."""
    digest = sha256(f"{gluepot.__version__} {_code()}".encode())
    digest.update(msgspec.json.encode(task))
    for path in files:
        facts = path.stat()
        digest.update(f"{path} {facts.st_size} {facts.st_mtime_ns}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:32]


@cache
def _code() -> str:
    digest, package = sha256(), Path(gluepot.__file__).parent
    for room in CODE:
        for path in sorted((package / room).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
