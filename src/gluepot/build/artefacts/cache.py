"""Disk cache of artefact reports, keyed by their inputs: each report fits two models, and task pages need all of them."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

import gluepot
from gluepot.files import write_atomically
from gluepot.models.caches import cache_root
from gluepot.records import Task

Report = TypeVar("Report", bound=msgspec.Struct)
CODE = ("build/artefacts", "models/features", "models/baselines", "data", "answers")
"""Packages whose code a report depends on."""


def cached_report(task: Task, files: Iterable[Path], kind: type[Report], make: Callable[[], Report]) -> Report:
    """Return the cached report of a task's files, or make and cache it; unreadable entries are replaced."""
    path = cache_root() / "artefacts" / f"{report_key(task, files)}.json"
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(path.read_bytes(), type=kind)
    made = make()
    with suppress(OSError):  # a full or read-only disk is no reason to fail
        write_atomically(path, msgspec.json.encode(made))
    return made


def report_key(task: Task, files: Iterable[Path]) -> str:
    """Return the cache key of a report: a hash of the version, code, declaration, and size and modification time of the files."""
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
