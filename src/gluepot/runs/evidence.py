"""Evidence for recomputing published results: predictions, other harnesses' output, other published cells, and judgments."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from statistics import fmean

from msgspec import UNSET

from gluepot.data.judgments import task_judgments
from gluepot.errors import DataMissing, GluepotError, WrongUse, canonical_name
from gluepot.records import Result, Suite
from gluepot.registry import Registry
from gluepot.runs.scores.scoring import score_submission
from gluepot.statistics.agreement import pairwise_agreement
from gluepot.submissions.opening.bundles import ARCHIVES
from gluepot.submissions.reading import read_submission
from gluepot.tasks.published_results import PublishedResult
from gluepot.tasks.systems import names_of

Key = tuple[str, str, str | None, str, str, str | None]
"""Model, task, slice, split, metric, statistic."""
Lookup = Callable[[PublishedResult], float | None]
"""Maps a published cell to our value."""
EVIDENCE: Registry[Callable[[Suite, Path], Lookup | None]] = Registry("evidence", plugins="gluepot.evidence")
"""Readers of other harnesses' output, by name; each inspects a path and returns None if it finds nothing of its kind."""


class Evidence:
    """All evidence at a path, and in a suite's own files and tables."""

    def __init__(self, suite: Suite, path: Path | None, published: list[PublishedResult]) -> None:
        self.suite = suite
        self.printed = {key_of(cell): cell.value / cell.scale for cell in published}
        self.written = dict(_written(suite, path)) if path else {}
        self.predictions = dict(from_predictions(suite, path)) if path and not self.written else {}

    def value(self, cell: PublishedResult) -> tuple[float | None, str]:
        """Return our value of a published cell, and the evidence it was computed from."""
        ways: dict[str, Callable[[], float | None]] = {
            "predictions": lambda: self.predictions.get(key_of(cell)),
            **{name: lambda lookup=lookup: lookup(cell) for name, lookup in self.written.items()},  # type: ignore[misc]
            "printed cells": lambda: from_cells(self.suite, cell, self.printed),
            "judgments": lambda: from_judgments(self.suite, cell),
        }
        return next(((ours, how) for how, compute in ways.items() if (ours := compute()) is not None), (None, ""))


def _written(suite: Suite, path: Path) -> Iterator[tuple[str, Lookup]]:
    """Yield the first kind of harness output found at the path."""
    found = ((name, lookup) for name in EVIDENCE if (lookup := EVIDENCE[name](suite, path)) is not None)
    yield from islice(found, 1)


def key_of(cell: PublishedResult) -> Key:
    return cell.model, cell.task, cell.slice, cell.split, cell.metric, cell.statistic


def from_predictions(suite: Suite, path: Path) -> Iterator[tuple[Key, float]]:
    for place in find_submissions(path, suite):
        try:
            result = score_submission(suite, read_submission(suite, place), resamples=1)
        except GluepotError as error:
            raise GluepotError(f"{place}: {error}") from error
        for model in names_of(suite.name, result.model):
            yield from _cells_of(result, model)


def _cells_of(result: Result, model: str) -> Iterator[tuple[Key, float]]:
    for score in result.scores:
        if score.value is not None:
            part = None if score.slice is UNSET else score.slice
            yield (model, score.task, part, score.split, score.metric, None), score.value
    for mean in result.overall:
        if mean.value is not None:
            yield (model, "overall", None, mean.split, "mean", None), mean.value


def find_submissions(path: Path, suite: Suite) -> list[Path]:
    """Return the submissions at `path`: the path itself if it holds predictions, otherwise its contents."""
    if not path.exists():
        raise WrongUse(f"{path}: no such file or folder.")
    if path.is_file():
        return [path]
    inside = sorted(p for p in path.iterdir() if not p.name.startswith("."))
    tasks = {canonical_name(name) for name in suite.tasks}
    itself = any(canonical_name(p.name) in tasks if p.is_dir() else p.suffix == ".jsonl" for p in inside)
    deeper = [p for p in inside if p.is_dir() and any(p.rglob("*.jsonl")) and (not itself or any(q.is_dir() for q in p.iterdir()))]
    packed = [p for p in inside if p.is_file() and p.name.lower().endswith((*ARCHIVES, ".csv"))]
    return [*deeper, *packed] or [path]


def from_cells(suite: Suite, cell: PublishedResult, printed: dict[Key, float]) -> float | None:
    """Compute a published average from the other published cells of the same model."""
    if (cell.task, cell.metric, cell.statistic) != ("overall", "mean", None):
        return None
    terms = []
    for term in suite.overall.terms:
        values = [_printed_entry(suite, cell, entry, printed) for entry in term]
        merged = _merged_part(cell, term, printed)
        if merged is None and any(value is None for value in values):
            return None
        terms.append(merged if merged is not None else fmean(v for v in values if v is not None))
    return fmean(terms)


def _printed_entry(suite: Suite, cell: PublishedResult, entry: str, printed: dict[Key, float]) -> float | None:
    task, _, metric = entry.partition(":")
    return printed.get((cell.model, task, None, cell.split, metric or suite.tasks[task].metrics[0], None))


def _merged_part(cell: PublishedResult, term: list[str], printed: dict[Key, float]) -> float | None:
    """Return the value of a part printed under the common prefix of its tasks' names (nerc_id, nerc_od: nerc)."""
    if len(term) < 2 or ":" in term[0]:
        return None
    common = (cell.model, term[0].rpartition("_")[0], cell.split)
    return next((value for (model, task, _, split, *_), value in printed.items() if (model, task, split) == common), None)


def from_judgments(suite: Suite, cell: PublishedResult) -> float | None:
    if cell.model != "annotators" or cell.task not in suite.tasks:
        return None
    try:
        return pairwise_agreement(task_judgments(suite.tasks[cell.task]), cell.metric)
    except DataMissing:
        return None
