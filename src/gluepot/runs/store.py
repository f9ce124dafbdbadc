"""A run on disk: predictions that only grow, everything else replaced whole, so that a kill at any moment loses one batch."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from gluepot.errors import GluepotError
from gluepot.records import Prediction, Said

T = TypeVar("T")
MANIFEST = "manifest.json"


class _Line(msgspec.Struct, omit_defaults=True):
    """A prediction as it is stored, which is also how `score` takes it."""

    id: str
    prediction: Any
    scores: list[float] | None = None
    said: Said | None = None


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
        except msgspec.DecodeError as error:
            raise GluepotError(f"{self.path / name}: {error}.") from error

    def log(self, line: str) -> None:
        """Append one line to the run's log."""
        from datetime import UTC, datetime

        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "log.txt").open("a", encoding="utf-8") as stream:
            stream.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {line}\n")


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
        """One write for the whole batch."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = msgspec.json.Encoder().encode_lines(_Line(p.id, plain(p.output), p.scores, p.said) for p in predictions)
        with self.path.open("ab", buffering=0) as stream:
            stream.write(lines)

    def read(self) -> list[Prediction]:
        if not self.path.is_file():
            return []
        rows = msgspec.json.Decoder(_Line).decode_lines(self.path.read_bytes())
        return [Prediction(row.id, row.prediction, row.scores, row.said) for row in rows]

    def count(self) -> int:
        """Whole lines so far, also while another process writes."""
        return self.path.read_bytes().count(b"\n") if self.path.is_file() else 0


def plain(output: Any) -> Any:
    """An output as JSON has it: sets and tuples are lists."""
    if isinstance(output, set | frozenset):
        return sorted(output)
    return list(output) if isinstance(output, tuple) else output


def write_whole(path: Path, data: bytes) -> None:
    """Write beside the place, then rename: readers see the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


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
