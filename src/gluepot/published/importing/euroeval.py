"""EuroEval result files: ten iterations per dataset, imported as reported scores with an interval of the promised coverage."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import msgspec
from msgspec.structs import replace

from gluepot.board.importing.drafts import Draft, ImportReport, digest_of
from gluepot.board.importing.predictions import ImportContext
from gluepot.board.importing.storage.reported_intervals import ITERATIONS
from gluepot.board.importing.systems.joining import AmbiguousNameError
from gluepot.board.importing.systems.naming import apply_given_name
from gluepot.board.models import Entry, Score
from gluepot.metrics import METRICS
from gluepot.plurals import pluralize
from gluepot.published.scandeval.euroeval import Record, read_record
from gluepot.records import Suite, Task
from gluepot.statistics.t_interval import DISTINCT_ITEMS, ITEMS, bootstrapped_mean
from gluepot.strict_json import InvalidLineError
from gluepot.submissions.opening.entries import displayed, displayed_path, open_plain, within_limits
from gluepot.submissions.opening.targets import named_task
from gluepot.submissions.opening.zips import explain
from gluepot.submissions.parsing.lines import numbered_lines
from gluepot.submissions.problems import Problems
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.systems import SystemInfo, find_system

SUITE = "scandeval-da"


@dataclass(frozen=True)
class PlacedRecord:
    """A record and its line number."""

    record: Record
    line: int


def record_drafts(paths: Sequence[Path], bench: ImportContext, report: ImportReport) -> Iterator[Draft]:
    """Yield one entry per model and file."""
    for path in paths:
        yield from RecordFile(path, report, bench).drafts()


class RecordFile:
    """One result file: its records by model, and its problems."""

    def __init__(self, path: Path, report: ImportReport, bench: ImportContext) -> None:
        self.path, self.report, self.bench, self.problems = path, report, bench, Problems()
        self.suite, self.file = load_suite(SUITE), displayed_path(path)

    def drafts(self) -> Iterator[Draft]:
        """Yield one entry per model."""
        models: dict[str, dict[tuple[str, str], PlacedRecord]] = {}
        elsewhere: Counter[str] = Counter()
        for placed in self._read():
            record = placed.record
            if named_task(self.suite, record.dataset) is None:
                elsewhere[record.dataset] += 1
                continue
            same = models.setdefault(record.name, {})
            place = record.dataset, record.split
            if place not in same or self._support(same[place].record) <= self._support(record):  # on a tie, the later line
                same[place] = placed
        if elsewhere:
            names = ", ".join(displayed(name) for name, _ in elsewhere.most_common(5))
            counts = f"{pluralize(elsewhere.total(), 'record')} of {pluralize(len(elsewhere), 'other dataset')}"
            self.report.notices.append(f"{displayed(self.path.name)}: {counts} left out, most of {names}")
        if self.bench.name is not None and len(models) > 1:
            raise AmbiguousNameError(f"--name names one system; {self.path} has records of {len(models):,}.")
        for name, same in models.items():
            draft = self._draft(name, list(same.values()))
            if draft.scores:
                yield draft
        self.report.problems += self.problems.listed()

    def _support(self, record: Record) -> tuple[bool, tuple[int, ...]]:
        """Return the precedence of a record, as on a board: the suite's own version first, then the newer one."""
        return record.version.endswith(f" {self.suite.version}"), record.release

    def _read(self) -> Iterator[PlacedRecord]:
        try:
            if not within_limits([(self.path.name, self.path.stat().st_size)], self.file, self.problems):
                return
            with open_plain(self.path) as stream:
                for number, line in numbered_lines(stream, self.file, self.problems):
                    try:
                        if line:
                            yield PlacedRecord(read_record(line.strip()), number)
                    except InvalidLineError as error:
                        self.problems.add(error.code, str(error), file=self.file, line=number, hint=error.hint)
        except OSError as error:
            self.problems.add("unreadable", f"{explain(error)}.", file=self.file, hint="Check the file.")

    def _draft(self, name: str, placed: Sequence[PlacedRecord]) -> Draft:
        records = [one.record for one in placed]
        digest = digest_of("records", [msgspec.to_builtins(record) for record in records])
        system, basis = apply_given_name(model_facts(self.suite, name, records), self.suite.name, self.bench.name, "told")
        draft = Draft(self.suite, system, Entry.Kind.RECORD, self.path.name, digest, basis, owner=self.bench.owner)
        upstream: dict[str, Any] = {}
        for one in placed:
            task = named_task(self.suite, one.record.dataset)
            assert task is not None
            draft.scores += self._scores(task, one, upstream)
        first = records[0]
        draft.details = {
            "versions": sorted({record.version for record in records}),
            "generative": first.is_generative,
            "generative_type": first.generative_type,
            "few_shot": first.shots if first.is_generative else None,
            "max_sequence_length": first.max_sequence_length,
            "vocabulary_size": first.vocabulary_size,
            "upstream": upstream,
        }
        return draft

    def _scores(self, task: Task, placed: PlacedRecord, upstream: dict[str, Any]) -> Iterator[Score]:
        record = placed.record
        known, totals = record.metrics(task), record.totals
        if not known:
            self._odd(placed, f"{record.dataset} of {record.name}: no iteration has a metric of this task.")
        for theirs, ours in known.items():
            values = record.values(task, theirs)
            if isinstance(values, str) or not all(_on_scale(ours, value) for value in values):
                self._odd(placed, f"{theirs} of {record.name}: {values if isinstance(values, str) else 'off its scale.'}")
                continue
            upstream[f"{task.name}/{record.split}/{ours}"] = {"mean": totals.get(theirs), "half-width": totals.get(f"{theirs}_se")}
            yield _score(task, record, ours, values)

    def _odd(self, placed: PlacedRecord, message: str) -> None:
        self.problems.add("odd-record", message, file=self.file, line=placed.line, hint="The score was left out.")


def model_facts(suite: Suite, name: str, records: Sequence[Record]) -> SystemInfo:
    """Return the declared facts about a model, completed by those of the records."""
    known, first = find_system(suite.name, name), records[0]
    if re.fullmatch(r"human(-\d+)?", name):
        return replace(known, role="human", family="Human")
    sizes = [record.num_model_parameters for record in records if record.num_model_parameters and record.num_model_parameters > 0]
    family = known.family or ("Decoder" if first.is_generative else "Encoder")
    return replace(known, family=family, parameters=known.parameters or max(sizes, default=None))


def _score(task: Task, record: Record, metric: str, values: Sequence[float]) -> Score:
    variance = DISTINCT_ITEMS if task.kind == "span-answer" else ITEMS
    found = bootstrapped_mean(values, variance)
    low, high = (None, None) if found is None else _clipped(metric, *found[1:])
    return Score(
        task=task.name,
        split=record.split,
        metric=metric,
        value=fmean(values),
        low=low,
        high=high,
        n=task.data.rows.get(record.split),
        verified=False,
        method=ITERATIONS if low is not None else "",
        harness=record.version,
        spread=stdev(values) if len(values) > 1 else None,
        runs=len(values),
        reason=_reason(task, record, len(values)),
    )


def _reason(task: Task, record: Record, iterations: int) -> str:
    """Describe the origin of a score and its known defects."""
    drawn = "resamples of the items" if record.is_generative else "fine-tunings, each on resampled items"
    told = [f"Reported by {record.version}: mean of {iterations} {drawn}."]
    if iterations < 2:
        told = [f"Reported by {record.version}: a single iteration, so no interval."]
    elif task.kind == "span-answer":
        told.append("Interval from their spread, widened because an item drawn twice counts once there (defect D2).")
    else:
        told.append("Interval from their spread: mean ± t·s·√(1 + 1/m).")
    if task.kind == "token-labelling":
        told.append("Runs of untagged words count as entities there (defect D1).")
    return " ".join(told)


def _clipped(metric: str, low: float, high: float) -> tuple[float, float]:
    """Clip an interval to the metric's scale."""
    declared = METRICS[metric]
    return (low if declared.worst is None else max(low, declared.worst)), min(high, declared.best)


def _on_scale(metric: str, value: float) -> bool:
    declared = METRICS[metric]
    return value <= declared.best + 1e-9 and (declared.worst is None or value >= declared.worst - 1e-9)
