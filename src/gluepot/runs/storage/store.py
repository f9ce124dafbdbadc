"""A run on disk: append-only predictions, everything else replaced atomically, so that a kill at any moment loses one batch."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import IO, Any, TypeVar

import msgspec

from gluepot.errors import GluepotError
from gluepot.escaping import escape_control_characters
from gluepot.files import append_atomically, write_atomically
from gluepot.masking import mask_secrets
from gluepot.records import AnswerTrace, Prediction
from gluepot.runs.storage.strict_files import DOCUMENT, hash_inside, open_inside, read_inside
from gluepot.strict_json import InvalidLineError, decode_strictly
from gluepot.submissions.opening.entries import UNPACKED
from gluepot.submissions.parsing.lines import read_lines
from gluepot.submissions.problems import Problems

T = TypeVar("T")
MANIFEST = "manifest.json"
DEEP = 4
"""Folders from a run to a file of predictions."""
AGAIN = "Delete the file, and `gluepot evaluate` answers its items anew."
LONGEST_LINE = 16 * 1024**2
"""Maximum bytes of a line of predictions: those of 90,000 tags with the probabilities of nine labels each are seven million."""
Line = Prediction | InvalidLineError | None
"""Content of a line: a prediction, an error, or nothing."""


class _PredictionLine(msgspec.Struct, omit_defaults=True):
    """A prediction as it is stored, in the format that `score` reads."""

    id: str
    prediction: Any
    scores: list[float] | None = None
    measure: str = ""
    """Measure of the scores, as in `Prediction`."""
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
        """Return all predictions in the run, whether or not its manifest names them."""
        return [PredictionFile(path, self.path) for path in sorted((self.path / "predictions").rglob("*.jsonl"))]

    def has_answers(self) -> bool:
        """Return whether anything was answered, including in a trial of a search."""
        return any(file.stat().st_size for part in ("predictions", "trials") for file in (self.path / part).rglob("*.jsonl"))

    def forget_start(self) -> bool:
        """Remove a start without answers, and return whether it was one. Recorded spending remains."""
        if self.has_answers():
            return False
        for part in ("predictions", "trials", "training"):
            rmtree(self.path / part, ignore_errors=True)
        return True

    def write(self, name: str, document: Any) -> None:
        """Write one JSON document atomically."""
        data = msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
        write_atomically(self.path / name, data)

    def read(self, name: str, shape: type[T], most: int = DOCUMENT, upgrade: Callable[[Any], Any] = lambda document: document) -> T:
        """Read one JSON document of at most `most` bytes, as strictly as an untrusted submission; errors name the file.

        `upgrade` converts a document of an earlier version.
        """
        path = self.path / name
        try:
            return msgspec.convert(upgrade(decode_strictly(read_inside(self.path, path, most))), shape, str_keys=True)
        except FileNotFoundError as error:
            raise GluepotError(f"{self.path}: not a run: it has no {name}.") from error
        except (InvalidLineError, msgspec.ValidationError, RecursionError) as error:
            raise GluepotError(f"{path}: the file is broken: {str(error).rstrip('.') or type(error).__name__}.") from error

    def log(self, line: str) -> None:
        """Append one line to the run's log, with apparent keys masked."""
        from datetime import UTC, datetime

        stamp = datetime.now(UTC).isoformat(timespec="seconds")
        append_atomically(self.path / "log.txt", f"{stamp} {escape_control_characters(mask_secrets(line))}\n".encode())


def find_run(path: Path) -> RunFolder | None:
    """Return the run at a path, or the one that contains it."""
    return next((folder for place in (path, *path.absolute().parents[:DEEP]) if (folder := RunFolder(place)).exists()), None)


class PredictionFile:
    """Predictions of one task, one per line, appended a batch at a time in the items' order."""

    def __init__(self, path: Path, root: Path | None = None) -> None:
        """`root` is the run's own folder, below which no link is followed."""
        self.path, self.root = path, root or path.parent

    def exists(self) -> bool:
        """Return whether the path exists, including as a dangling link."""
        return os.path.lexists(self.path)

    def fingerprint(self) -> str:
        return hash_inside(self.root, self.path)

    def data(self) -> bytes:
        """Return the file's bytes; raise GluepotError with the next step if it is refused."""
        try:
            return read_inside(self.root, self.path, UNPACKED)
        except InvalidLineError as odd:
            raise GluepotError(f"{self.path}: {odd} {AGAIN}") from odd

    def repair(self) -> int:
        """Truncate a line that a kill left unfinished; return the number of whole lines."""
        data = self.data() if self.exists() else b""
        whole = data.rfind(b"\n") + 1
        if whole != len(data):
            with self.path.open("r+b") as stream:
                stream.truncate(whole)
        return data.count(b"\n")

    def append(self, predictions: Sequence[Prediction]) -> None:
        """Append the whole batch, or nothing of it."""
        append_atomically(self.path, msgspec.json.Encoder().encode_lines(map(_line, predictions)))

    def read(self) -> list[Prediction]:
        """Return all predictions; raise GluepotError with the place and the next step at the first invalid line."""
        predictions = []
        for number, line in enumerate(self, start=1):
            if isinstance(line, InvalidLineError):
                raise GluepotError(f"{self.path}:{number}: {line} {AGAIN}")
            if line is not None:
                predictions.append(line)
        return predictions

    def __iter__(self) -> Iterator[Line]:
        """Yield the content of each line. A refused file yields one error with the reason; a missing one yields nothing."""
        try:
            with open_inside(self.root, self.path) as stream:
                yield from _read_lines(stream)
        except FileNotFoundError:
            return
        except InvalidLineError as odd:
            yield odd

    def count(self) -> int:
        """Return the number of whole lines so far, also while another process writes."""
        with suppress(FileNotFoundError, InvalidLineError):
            return read_inside(self.root, self.path, UNPACKED).count(b"\n")
        return 0


class _Odd(Problems):
    """Problems of a file's lines, by line number."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[int | None, InvalidLineError] = {}

    def add(self, code: str, message: str, *, line: int | None = None, hint: str = "", **where: str | None) -> None:
        super().add(code, message, line=line, hint=hint, **where)
        if code != "empty-file":  # an empty file is what a stopped writer leaves
            self.lines[line] = InvalidLineError(code, message, hint)


def _read_lines(stream: IO[bytes]) -> Iterator[Line]:
    """Yield the lines as the submission reader finds them; problems of the whole file come last."""
    odd, last = _Odd(), 0
    for number, record in read_lines(stream, "", odd, lambda: LONGEST_LINE):
        yield from [None] * (number - last - 1)
        last = number
        yield odd.lines.pop(number, None) if record is None else _prediction(record)
    yield from odd.lines.values()


def _prediction(record: dict[str, Any]) -> Prediction | InvalidLineError:
    try:
        row = msgspec.convert(record, _PredictionLine)
    except (msgspec.ValidationError, RecursionError) as error:
        return InvalidLineError("wrong-type", f"{error}.")
    return Prediction(row.id, row.prediction, row.scores, row.said, row.measure)


def _line(made: Prediction) -> _PredictionLine:
    return _PredictionLine(made.id, plain(made.output), made.scores, made.measure if made.scores is not None else "", made.said)


def plain(output: Any) -> Any:
    """Convert an output to JSON types: sets and tuples become lists."""
    if isinstance(output, set | frozenset):
        return sorted(output)
    return list(output) if isinstance(output, tuple) else output


def differences(old: Any, new: Any, place: str = "") -> Iterable[str]:
    """Yield the differences between two JSON-like documents, as `place: old → new`.

    >>> list(differences({"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 3}}))
    ['b.c: 2 → 3']
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from differences(old.get(key), new.get(key), f"{place}.{key}" if place else str(key))
    elif old != new:
        yield f"{place}: {old} → {new}"
