"""Printed means and half-widths, recomputed from EuroEval's raw records."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import fmean, stdev

from gluepot.errors import GluepotError
from gluepot.published.scandeval.euroeval import Record, is_record_file, read_record
from gluepot.records import Suite, Task
from gluepot.runs.evidence import EVIDENCE, Key, Lookup, key_of
from gluepot.strict_json import InvalidLineError
from gluepot.submissions.opening.targets import named_task
from gluepot.tasks.systems import names_of


@EVIDENCE.register("records")
def record_evidence(suite: Suite, path: Path) -> Lookup | None:
    found = dict(from_records(suite, path))
    return (lambda cell: found.get(key_of(cell))) if found else None


def from_records(suite: Suite, path: Path) -> Iterator[tuple[Key, float]]:
    """Yield mean and half-width over the iterations of EuroEval records, from the newest record of each model, dataset and split."""
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
        if isinstance(values, str):  # its own aggregate is wrong, but the printed one may still be right
            values = record.values(task, theirs, trust=False)
        found = {} if isinstance(values, str) else aggregates(values)
        for model, (statistic, value) in product(names_of(suite.name, record.name), found.items()):
            yield (model, task.name, None, record.split, ours, statistic), value


def aggregates(values: list[float]) -> dict[str, float]:
    """Return the statistics that the leaderboard prints.

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
            except InvalidLineError as error:
                raise GluepotError(f"{file}:{number}: {error}") from error
