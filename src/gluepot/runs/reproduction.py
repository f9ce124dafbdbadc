"""Recomputes published tables: from published predictions or timings, from the printed cells themselves, from judgments."""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from msgspec import UNSET, Struct

from gluepot.data.judgments import task_judgments
from gluepot.data.submissions.bundles import ARCHIVES
from gluepot.data.submissions.places import named_task
from gluepot.data.submissions.reading import read_submission
from gluepot.efficiency.morocco import read_timing, timing_folders
from gluepot.errors import DataMissing, GluepotError
from gluepot.records import Result, Suite
from gluepot.runs.scoring import score_submission
from gluepot.statistics.agreement import pairwise_agreement
from gluepot.tasks.published import Errata, Published, load_errata, load_published
from gluepot.tasks.systems import names_of

Key = tuple[str, str, str | None, str, str]
"""Model, task, slice, split, metric."""
PLACES = {"throughput": 0, "memory-gib": 2}
ROUNDING = 0.5 + 1e-9
"""Half a unit in the last printed place."""


class Cell(Struct, frozen=True):
    """A printed cell beside what we compute."""

    source: str
    model: str
    task: str
    slice: str | None
    split: str
    metric: str
    theirs: float
    ours: float | None
    mark: str
    """`=` the printed digits, `~` the last one differs by one, `≠` different, `?` nothing here to compute it from."""
    how: str = ""
    note: str = ""


def reproduce(suite: Suite, path: Path | None) -> list[Cell]:
    """Every printed cell of a suite with our value where it can be computed."""
    published, errata = load_published(suite), load_errata(suite)
    timed = dict(_from_timings(suite, path)) if path else {}
    computed = dict(_from_predictions(suite, path)) if path and not timed else {}
    printed: dict[Key, float] = {_key(cell): cell.value / cell.scale for cell in published}
    cells = []
    for cell in published:
        ours, how = computed.get(_key(cell)), "predictions"
        if ours is None:
            ours, how = timed.get((cell.model, cell.task, cell.metric)), "timings"
        if ours is None:
            ours, how = _from_cells(suite, cell, printed), "printed cells"
        if ours is None:
            ours, how = _from_judgments(suite, cell), "judgments"
        cells.append(judge(cell, ours, how if ours is not None else "", errata))
    return cells


def _key(cell: Published) -> Key:
    return cell.model, cell.task, cell.slice, cell.split, cell.metric


def judge(cell: Published, ours: float | None, how: str, errata: Errata) -> Cell:
    """A printed cell beside our value, which counts as the same if it rounds to the printed digits."""
    unit = 10 ** -_decimals(cell)
    gap = abs(ours * cell.scale - cell.value) / unit if ours is not None else 0.0
    mark = "?" if ours is None else "=" if gap <= ROUNDING else "~" if gap <= 1 + ROUNDING else "≠"
    note = "" if mark in "=?" else errata.explain(cell) or ""
    shown = None if ours is None else ours * cell.scale
    return Cell(cell.source, cell.model, cell.task, cell.slice, cell.split, cell.metric, cell.value, shown, mark, how, note)


def _decimals(cell: Published) -> int:
    """How many places the source prints: two in BasqueGLUE, for agreement and memory, none for speed, else three (RuCoS' F1: two)."""
    places = len(repr(cell.value).partition(".")[2])
    if cell.metric in PLACES:
        return PLACES[cell.metric]
    if cell.scale == 100 or (cell.task == "RuCoS" and cell.metric == "token-f1"):
        return 2
    return 2 if cell.source.endswith("section 3.4") and places <= 2 else 3


def _from_predictions(suite: Suite, path: Path) -> Iterator[tuple[Key, float]]:
    for place in submissions_below(path):
        try:
            result = score_submission(suite, read_submission(suite, place), resamples=1)
        except GluepotError as error:
            raise GluepotError(f"{place}: {error}") from error
        for model in names_of(suite.name, result.model):
            yield from _cells_of(result, model)


def _from_timings(suite: Suite, path: Path) -> Iterator[tuple[tuple[str, str, str], float]]:
    """MOROCCO's figures by model, task and metric, where raw timings lie there."""
    for folder in timing_folders(path):
        timing, task = read_timing(folder), named_task(suite, folder.resolve().name)
        for metric, measured in (("throughput", timing.throughput), ("memory-gib", timing.memory)):
            if task is not None and measured is not None:
                yield from (((model, task.name, metric), measured.value) for model in names_of(suite.name, timing.model))


def _cells_of(result: Result, model: str) -> Iterator[tuple[Key, float]]:
    for score in result.scores:
        if score.value is not None:
            part = None if score.slice is UNSET else score.slice
            yield (model, score.task, part, score.split, score.metric), score.value
    for mean in result.overall:
        if mean.value is not None:
            yield (model, "overall", None, mean.split, "mean"), mean.value


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


def _from_cells(suite: Suite, cell: Published, printed: dict[Key, float]) -> float | None:
    """An average, from the cells that the same source prints for the same model."""
    if cell.task != "overall":
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
    return printed.get((cell.model, task, None, cell.split, metric or suite.tasks[task].metrics[0]))


def _merged_part(cell: Published, term: list[str], printed: dict[Key, float]) -> float | None:
    """A part that is printed as one value under the common beginning of its tasks' names (nerc_id, nerc_od: nerc)."""
    if len(term) < 2 or ":" in term[0]:
        return None
    common = term[0].rpartition("_")[0]
    return next((v for (model, task, _, split, _), v in printed.items() if (model, task, split) == (cell.model, common, cell.split)), None)


def _from_judgments(suite: Suite, cell: Published) -> float | None:
    if cell.model != "annotators" or cell.task not in suite.tasks:
        return None
    try:
        return pairwise_agreement(task_judgments(suite.tasks[cell.task]), cell.metric)
    except DataMissing:
        return None
