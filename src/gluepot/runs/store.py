"""A run on disk: predictions that only grow, everything else replaced whole, so that a kill at any moment loses one batch."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from gluepot.errors import GluepotError
from gluepot.files import append_whole, write_whole
from gluepot.records import Prediction, Said
from gluepot.strict_json import OddLineError, decode_strictly

T = TypeVar("T")
MANIFEST = "manifest.json"
DEEP = 4
"""Folders from a run to a file of predictions."""
AGAIN = "Delete the file, and `gluepot evaluate` answers its items anew."


class _Line(msgspec.Struct, omit_defaults=True):
    """A prediction as it is stored, which is also how `score` takes it."""

    id: str
    prediction: Any
    scores: list[float] | None = None
    said: Said | None = None


_DECODER = msgspec.json.Decoder(_Line)
_BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for what is no JSON, or JSON of another shape."""


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def exists(self) -> bool:
        return (self.path / MANIFEST).is_file()

    def predictions(self, task: str, split: str, seed: int) -> "PredictionFile":
        return PredictionFile(self.path / "predictions" / f"seed-{seed}" / task / f"{split}.jsonl")

    def write(self, name: str, document: Any) -> None:
        """One JSON document, whole or not at all."""
        data = msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
        write_whole(self.path / name, data)

    def read(self, name: str, shape: type[T]) -> T:
        try:
            return msgspec.json.decode((self.path / name).read_bytes(), type=shape)
        except FileNotFoundError as error:
            raise GluepotError(f"{self.path}: not a run: it has no {name}.") from error
        except _BROKEN as error:
            raise GluepotError(f"{self.path / name}: the file is broken: {error}.") from error

    def log(self, line: str) -> None:
        """Append one line to the run's log."""
        from datetime import UTC, datetime

        append_whole(self.path / "log.txt", f"{datetime.now(UTC).isoformat(timespec='seconds')} {line}\n".encode())


def run_at(path: Path) -> RunFolder | None:
    """The run at a path, or the one that a path leads into."""
    return next((folder for place in (path, *path.absolute().parents[:DEEP]) if (folder := RunFolder(place)).exists()), None)


class PredictionFile:
    """Predictions of one task, one line each, appended a batch at a time in the items' order."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def repair(self) -> int:
        """Cut off a line that a kill left unfinished; the number of whole lines."""
        if not self.path.is_file():
            return 0
        data = self.path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole != len(data):
            with self.path.open("r+b") as stream:
                stream.truncate(whole)
        return data.count(b"\n")

    def append(self, predictions: Sequence[Prediction]) -> None:
        """The whole batch, or nothing of it."""
        append_whole(self.path, msgspec.json.Encoder().encode_lines(_Line(p.id, plain(p.output), p.scores, p.said) for p in predictions))

    def read(self) -> list[Prediction]:
        """All predictions; the first line that is none is an error with its place and the next step."""
        predictions = []
        for number, line in enumerate(self.lines(), start=1):
            if isinstance(line, OddLineError):
                raise GluepotError(f"{self.path}:{number}: {line} {AGAIN}")
            if line is not None:
                predictions.append(line)
        return predictions

    def lines(self) -> list[Prediction | OddLineError | None]:
        """What each line holds: a prediction, what is wrong with it, or nothing."""
        data = self.path.read_bytes() if self.path.is_file() else b""
        try:
            return [_prediction(row) for row in _DECODER.decode_lines(data)]
        except _BROKEN:  # somewhere: find out where
            return [_read_line(line) for line in data.splitlines()]

    def count(self) -> int:
        """Whole lines so far, also while another process writes."""
        return self.path.read_bytes().count(b"\n") if self.path.is_file() else 0


def _prediction(row: _Line) -> Prediction:
    return Prediction(row.id, row.prediction, row.scores, row.said)


def _read_line(line: bytes) -> Prediction | OddLineError | None:
    if not line.strip():
        return None
    try:
        return _prediction(_DECODER.decode(line))
    except _BROKEN as error:
        try:
            decode_strictly(line)
        except OddLineError as odd:
            return odd
        return OddLineError("wrong-type", f"{error}.")


def plain(output: Any) -> Any:
    """An output as JSON has it: sets and tuples are lists."""
    if isinstance(output, set | frozenset):
        return sorted(output)
    return list(output) if isinstance(output, tuple) else output


def differences(old: Any, new: Any, place: str = "") -> Iterable[str]:
    """Where two JSON-like documents differ, as `place: old → new`.

    >>> list(differences({"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 3}}))
    ['b.c: 2 → 3']
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from differences(old.get(key), new.get(key), f"{place}.{key}" if place else str(key))
    elif old != new:
        yield f"{place}: {old} → {new}"
