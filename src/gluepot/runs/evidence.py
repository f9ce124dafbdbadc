"""What printed cells can be recomputed from: predictions, timings, raw records, the printed cells themselves, judgments."""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from statistics import fmean, stdev

from msgspec import UNSET

from gluepot.data.euroeval import Record, is_record_file, read_record
from gluepot.data.judgments import task_judgments
from gluepot.efficiency.morocco import read_timing, timing_folders
from gluepot.errors import DataMissing, GluepotError
from gluepot.records import Result, Suite, Task
from gluepot.runs.scores.scoring import score_submission
from gluepot.statistics.agreement import pairwise_agreement
from gluepot.strict_json import OddLineError
from gluepot.submissions.bundles import ARCHIVES
from gluepot.submissions.reading import read_submission
from gluepot.submissions.targets import named_task
from gluepot.tasks.published_results import Published
from gluepot.tasks.systems import names_of

Key = tuple[str, str, str | None, str, str, str | None]
"""Model, task, slice, split, metric, statistic."""
Timed = tuple[str, str, str]
"""Model, task, metric."""


class Evidence:
    """Everything that lies at a path, and what a suite's own files and tables tell."""

    def __init__(self, suite: Suite, path: Path | None, published: list[Published]) -> None:
        self.suite = suite
        self.printed = {key_of(cell): cell.value / cell.scale for cell in published}
        self.timings = dict(from_timings(suite, path)) if path else {}
        self.records = dict(from_records(suite, path)) if path and not self.timings else {}
        self.predictions = dict(from_predictions(suite, path)) if path and not self.timings and not self.records else {}

    def value(self, cell: Published) -> tuple[float | None, str]:
        """Our value of a printed cell, and what it was computed from."""
        ways: dict[str, Callable[[], float | None]] = {
            "predictions": lambda: self.predictions.get(key_of(cell)),
            "timings": lambda: self.timings.get((cell.model, cell.task, cell.metric)),
            "records": lambda: self.records.get(key_of(cell)),
            "printed cells": lambda: from_cells(self.suite, cell, self.printed),
            "judgments": lambda: from_judgments(self.suite, cell),
        }
        return next(((ours, how) for how, compute in ways.items() if (ours := compute()) is not None), (None, ""))


def key_of(cell: Published) -> Key:
    return cell.model, cell.task, cell.slice, cell.split, cell.metric, cell.statistic


def from_predictions(suite: Suite, path: Path) -> Iterator[tuple[Key, float]]:
    for place in submissions_below(path):
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


def submissions_below(path: Path) -> list[Path]:
    """The submissions at `path`: itself if it holds predictions, otherwise what lies in it."""
    if not path.exists():
        raise GluepotError(f"{path}: no such file or folder.")
    if path.is_file():
        return [path]
    inside = sorted(p for p in path.iterdir() if not p.name.startswith("."))
    deeper = [p for p in inside if p.is_dir() and any(p.rglob("*.jsonl")) and any(q.is_dir() for q in p.iterdir())]
    packed = [p for p in inside if p.is_file() and p.name.lower().endswith((*ARCHIVES, ".csv"))]
    return [*deeper, *packed] or [path]


def from_timings(suite: Suite, path: Path) -> Iterator[tuple[Timed, float]]:
    """MOROCCO's figures by model, task and metric, where raw timings lie there."""
    for folder in timing_folders(path):
        timing, task = read_timing(folder), named_task(suite, folder.resolve().name)
        for metric, measured in (("throughput", timing.throughput), ("memory-gib", timing.memory)):
            if task is not None and measured is not None:
                yield from (((model, task.name, metric), measured.value) for model in names_of(suite.name, timing.model))


def from_records(suite: Suite, path: Path) -> Iterator[tuple[Key, float]]:
    """Mean and half-width over the iterations of EuroEval records, the newest record of each model, dataset and split."""
    newest: dict[tuple[str, str, str], Record] = {}
    for record in _records_below(path):
        place = record.name, record.dataset, record.split
        if place not in newest or newest[place].release <= record.release:
            newest[place] = record
    for record in newest.values():
        if task := named_task(suite, record.dataset):
            yield from _aggregated(suite, task, record)


def _aggregated(suite: Suite, task: Task, record: Record) -> Iterator[tuple[Key, float]]:
    for theirs, ours in record.metrics(task).items():
        values = record.values(task, theirs)
        if isinstance(values, str):  # its own aggregate is wrong: the printed one may still be right
            values = record.values(task, theirs, trust=False)
        found = {} if isinstance(values, str) else aggregates(values)
        for model, (statistic, value) in product(names_of(suite.name, record.name), found.items()):
            yield (model, task.name, None, record.split, ours, statistic), value


def aggregates(values: list[float]) -> dict[str, float]:
    """What the leaderboard prints of some iterations.

    >>> aggregates([0.25, 0.75])["mean"]
    0.5
    """
    mean = {"mean": fmean(values)}
    return mean if len(values) < 2 else {**mean, "half-width": 1.96 * stdev(values) / len(values) ** 0.5}


def _records_below(path: Path) -> Iterator[Record]:
    files = [path] if path.is_file() else sorted(path.rglob("*.jsonl"))
    for file in (file for file in files if is_record_file(file)):
        for number, line in enumerate(file.read_bytes().splitlines(), start=1):
            try:
                if line.strip():
                    yield read_record(line.strip())
            except OddLineError as error:
                raise GluepotError(f"{file}:{number}: {error}") from error


def from_cells(suite: Suite, cell: Published, printed: dict[Key, float]) -> float | None:
    """An average, from the cells that the same source prints for the same model."""
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


def _printed_entry(suite: Suite, cell: Published, entry: str, printed: dict[Key, float]) -> float | None:
    task, _, metric = entry.partition(":")
    return printed.get((cell.model, task, None, cell.split, metric or suite.tasks[task].metrics[0], None))


def _merged_part(cell: Published, term: list[str], printed: dict[Key, float]) -> float | None:
    """A part that is printed as one value under the common beginning of its tasks' names (nerc_id, nerc_od: nerc)."""
    if len(term) < 2 or ":" in term[0]:
        return None
    common = (cell.model, term[0].rpartition("_")[0], cell.split)
    return next((value for (model, task, _, split, *_), value in printed.items() if (model, task, split) == common), None)


def from_judgments(suite: Suite, cell: Published) -> float | None:
    if cell.model != "annotators" or cell.task not in suite.tasks:
        return None
    try:
        return pairwise_agreement(task_judgments(suite.tasks[cell.task]), cell.metric)
    except DataMissing:
        return None
