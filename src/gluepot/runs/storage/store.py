"""A run on disk: predictions that only grow, everything else replaced whole, so that a kill at any moment loses one batch."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import IO, Any, TypeVar

import msgspec

from gluepot.errors import GluepotError
from gluepot.escaping import visible
from gluepot.files import append_whole, write_whole
from gluepot.masking import mask_secrets
from gluepot.records import AnswerTrace, Prediction
from gluepot.runs.storage.strict_files import DOCUMENT, hash_inside, open_inside, read_inside
from gluepot.strict_json import OddLineError, decode_strictly
from gluepot.submissions.opening.entries import UNPACKED
from gluepot.submissions.parsing.lines import read_lines
from gluepot.submissions.problems import Problems

T = TypeVar("T")
MANIFEST = "manifest.json"
DEEP = 4
"""Folders from a run to a file of predictions."""
AGAIN = "Delete the file, and `gluepot evaluate` answers its items anew."
LONGEST_LINE = 16 * 1024**2
"""Bytes of a line of predictions: those of 90,000 tags with the probabilities of nine labels each are seven million."""
Line = Prediction | OddLineError | None
"""What a line holds: a prediction, what is wrong with it, or nothing."""


class _PredictionLine(msgspec.Struct, omit_defaults=True):
    """A prediction as it is stored, which is also how `score` takes it."""

    id: str
    prediction: Any
    scores: list[float] | None = None
    measure: str = ""
    """What the scores are, as `Prediction` has it."""
    said: AnswerTrace | None = None


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def exists(self) -> bool:
        return (self.path / MANIFEST).is_file()

    def predictions(self, task: str, split: str, seed: int) -> "PredictionFile":
        return PredictionFile(self.path / "predictions" / f"seed-{seed}" / task / f"{split}.jsonl", self.path)

    def prediction_files(self) -> list["PredictionFile"]:
        """All that lie in the run, whatever its manifest names."""
        return [PredictionFile(path, self.path) for path in sorted((self.path / "predictions").rglob("*.jsonl"))]

    def has_answers(self) -> bool:
        """Whether anything was answered, be it in a trial of a search."""
        return any(file.stat().st_size for part in ("predictions", "trials") for file in (self.path / part).rglob("*.jsonl"))

    def forget_start(self) -> bool:
        """Clear away a start that came to no answer; whether it was one. What was paid for stays counted."""
        if self.has_answers():
            return False
        for part in ("predictions", "trials", "training"):
            rmtree(self.path / part, ignore_errors=True)
        return True

    def write(self, name: str, document: Any) -> None:
        """One JSON document, whole or not at all."""
        data = msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
        write_whole(self.path / name, data)

    def read(self, name: str, shape: type[T], most: int = DOCUMENT, upgrade: Callable[[Any], Any] = lambda document: document) -> T:
        """One JSON document of at most so many bytes, as strictly as what strangers send; what is wrong with it is told with its place.

        `upgrade` makes one of an earlier version into one of this.
        """
        path = self.path / name
        try:
            return msgspec.convert(upgrade(decode_strictly(read_inside(self.path, path, most))), shape, str_keys=True)
        except FileNotFoundError as error:
            raise GluepotError(f"{self.path}: not a run: it has no {name}.") from error
        except (OddLineError, msgspec.ValidationError, RecursionError) as error:
            raise GluepotError(f"{path}: the file is broken: {str(error).rstrip('.') or type(error).__name__}.") from error

    def log(self, line: str) -> None:
        """Append one line to the run's log, without what looks like a key."""
        from datetime import UTC, datetime

        stamp = datetime.now(UTC).isoformat(timespec="seconds")
        append_whole(self.path / "log.txt", f"{stamp} {visible(mask_secrets(line))}\n".encode())


def run_at(path: Path) -> RunFolder | None:
    """The run at a path, or the one that a path leads into."""
    return next((folder for place in (path, *path.absolute().parents[:DEEP]) if (folder := RunFolder(place)).exists()), None)


class PredictionFile:
    """Predictions of one task, one line each, appended a batch at a time in the items' order."""

    def __init__(self, path: Path, root: Path | None = None) -> None:
        """`root` is the run's own folder, below which no link is followed."""
        self.path, self.root = path, root or path.parent

    def exists(self) -> bool:
        """Whether anything is there, be it a link to nowhere."""
        return os.path.lexists(self.path)

    def fingerprint(self) -> str:
        return hash_inside(self.root, self.path)

    def data(self) -> bytes:
        """Its bytes; an error with the next step where it is none that is read."""
        try:
            return read_inside(self.root, self.path, UNPACKED)
        except OddLineError as odd:
            raise GluepotError(f"{self.path}: {odd} {AGAIN}") from odd

    def repair(self) -> int:
        """Cut off a line that a kill left unfinished; the number of whole lines."""
        data = self.data() if self.exists() else b""
        whole = data.rfind(b"\n") + 1
        if whole != len(data):
            with self.path.open("r+b") as stream:
                stream.truncate(whole)
        return data.count(b"\n")

    def append(self, predictions: Sequence[Prediction]) -> None:
        """The whole batch, or nothing of it."""
        append_whole(self.path, msgspec.json.Encoder().encode_lines(map(_line, predictions)))

    def read(self) -> list[Prediction]:
        """All predictions; the first line that is none is an error with its place and the next step."""
        predictions = []
        for number, line in enumerate(self, start=1):
            if isinstance(line, OddLineError):
                raise GluepotError(f"{self.path}:{number}: {line} {AGAIN}")
            if line is not None:
                predictions.append(line)
        return predictions

    def __iter__(self) -> Iterator[Line]:
        """What each line holds. A file that is not read at all is one line that says why; one that is not there has none."""
        try:
            with open_inside(self.root, self.path) as stream:
                yield from _read_lines(stream)
        except FileNotFoundError:
            return
        except OddLineError as odd:
            yield odd

    def count(self) -> int:
        """Whole lines so far, also while another process writes."""
        with suppress(FileNotFoundError, OddLineError):
            return read_inside(self.root, self.path, UNPACKED).count(b"\n")
        return 0


class _Odd(Problems):
    """What is wrong with the lines of a file, by their numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[int | None, OddLineError] = {}

    def add(self, code: str, message: str, *, line: int | None = None, hint: str = "", **where: str | None) -> None:
        super().add(code, message, line=line, hint=hint, **where)
        if code != "empty-file":  # as one is whose writer was stopped
            self.lines[line] = OddLineError(code, message, hint)


def _read_lines(stream: IO[bytes]) -> Iterator[Line]:
    """The lines as the reader of submissions finds them; what it says of the whole file comes last."""
    odd, last = _Odd(), 0
    for number, record in read_lines(stream, "", odd, lambda: LONGEST_LINE):
        yield from [None] * (number - last - 1)
        last = number
        yield odd.lines.pop(number, None) if record is None else _prediction(record)
    yield from odd.lines.values()


def _prediction(record: dict[str, Any]) -> Prediction | OddLineError:
    try:
        row = msgspec.convert(record, _PredictionLine)
    except (msgspec.ValidationError, RecursionError) as error:
        return OddLineError("wrong-type", f"{error}.")
    return Prediction(row.id, row.prediction, row.scores, row.said, row.measure)


def _line(made: Prediction) -> _PredictionLine:
    return _PredictionLine(made.id, plain(made.output), made.scores, made.measure if made.scores is not None else "", made.said)


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
