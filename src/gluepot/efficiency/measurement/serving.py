"""Any adapter as a program: items as JSON Lines on standard input, one prediction per line on standard output, `batch` at a time.

    python -m gluepot.efficiency.measurement.serving learn REQUEST LEARNED
    python -m gluepot.efficiency.measurement.serving serve REQUEST LEARNED --batch-size 32

The adapter is trained once and stored, so that each start costs as much as starting a trained model.
"""

import json
import pickle
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct

from gluepot.errors import GluepotError
from gluepot.files import write_atomically
from gluepot.models import ModelName, libraries_of
from gluepot.records import Example, Suite, Task
from gluepot.runs.prediction.plan import Job

NOT_KEPT = b"not kept"


class ServingRequest(Struct):
    """A training job and the task that is then answered."""

    model: ModelName
    suite: Suite
    job: Job
    task: str
    folder: str
    """Folder for the records of a trained model."""


def learn(request: ServingRequest) -> tuple[Any, Task]:
    """Return the adapter, fitted as by `evaluate`, and the task that it answers."""
    from gluepot.models.precision import choose, resolve_precision
    from gluepot.runs.prediction.jobs import fitted_adapter

    with libraries_of(request.model.info):
        model, _ = resolve_precision(request.model, None, choose)
        return fitted_adapter(model, request.suite, request.job, Path(request.folder), None), request.suite.tasks[request.task]


def keep(request: ServingRequest, place: Path) -> None:
    """Train the adapter and store it, or store NOT_KEPT if it cannot be pickled."""
    import cloudpickle  # type: ignore[import-untyped]  # features are made of functions, which plain pickle does not support

    fitted = learn(request)
    try:
        data = cloudpickle.dumps(fitted)
        pickle.loads(data)  # noqa: S301 our own, a moment old
    except Exception:  # an adapter may hold what cannot be pickled: open files, connections
        data = NOT_KEPT
    write_atomically(place, data)


def serve(place: Path, request: Path, batch: int, lines: BinaryIO, output: BinaryIO) -> None:
    """Answer items until the input ends."""
    kept = place.read_bytes()
    adapter, task = learn(_unpickled(request.read_bytes())) if kept == NOT_KEPT else _unpickled(kept)
    for examples in _batches(lines, batch):
        answers = adapter.predict(task, examples)
        output.write(b"".join(_line(answer.id, answer.output) for answer in answers))
        output.flush()


def _unpickled(data: bytes) -> Any:
    return pickle.loads(data)  # noqa: S301 kept by us, in a folder that is ours alone


def _batches(lines: BinaryIO, size: int) -> Iterator[list[Example]]:
    while batch := list(islice(lines, size)):
        records = map(json.loads, batch)
        yield [Example(record["id"], record["inputs"]) for record in records]


def _line(name: str, prediction: Any) -> bytes:
    return json.dumps({"id": name, "prediction": prediction}, ensure_ascii=False).encode() + b"\n"


def main(words: list[str]) -> None:
    try:
        _main(*words)
    except GluepotError as error:
        sys.exit(str(error))  # a message for the measuring process, without a traceback


def _main(verb: str, request: str, learned: str, *rest: str) -> None:
    if verb == "learn":
        keep(_unpickled(Path(request).read_bytes()), Path(learned))
    else:
        serve(Path(learned), Path(request), int(rest[1]), sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    from gluepot.efficiency.measurement import serving  # the stored pickle names its classes by this module, not by __main__

    serving.main(sys.argv[1:])
