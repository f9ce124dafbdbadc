"""Import of gluepot measurements: speed and memory of a system on a task, recomputed from the raw records."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from gluepot.board.importing.drafts import Draft, ImportReport, digest_of
from gluepot.board.importing.predictions import ImportContext
from gluepot.board.importing.systems.identity import identity_of, is_local, system_name
from gluepot.board.importing.systems.naming import apply_given_name
from gluepot.board.models import Entry, Measurement
from gluepot.efficiency.figures import Figures
from gluepot.efficiency.figures.own_figures import own_figures
from gluepot.efficiency.repeats import timing_folders
from gluepot.efficiency.run_records import MeasurementRecord, is_measurement, read_measurement
from gluepot.records import Problem
from gluepot.submissions.opening.entries import displayed_path
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.systems import find_system

QUANTITIES = {
    "throughput": ("throughput", "throughput_low", "throughput_high"),
    "memory": ("memory_gib", "memory_low", "memory_high"),
    "startup": ("start_up_seconds", "start_up_low", "start_up_high"),
}


def measurement_folders(place: Path) -> list[Path]:
    """Return the task folders that hold gluepot measurements."""
    return [folder for folder in timing_folders(place) if is_measurement(folder)]


def measurement_drafts(folders: Sequence[Path], bench: ImportContext, report: ImportReport) -> Iterator[Draft]:
    """Yield one entry per system and suite, from the folders of its tasks."""
    found: dict[tuple[Path, str], list[tuple[Path, MeasurementRecord]]] = {}
    for folder in folders:
        record = read_measurement(folder)
        if refused := _refusal(record):
            report.problems.append(
                Problem("refused-measurement", refused, displayed_path(folder), hint="Measure again, on the suite's split.")
            )
            continue
        found.setdefault((folder.resolve().parent, record.suite), []).append((folder, record))
    for (model, _), several in found.items():
        yield _draft(model, several, bench)


def _refusal(record: MeasurementRecord) -> str:
    """Return why a measurement cannot be shown on a board; empty if it can."""
    suite = load_suite(record.suite)
    if record.failure:
        return f"no figures: {record.failure}"
    if record.identity is None:
        return "nothing says which system it measured."
    if record.version != suite.version:
        return f"made on {record.suite} {record.version}; declared here is {suite.version}."
    return "" if record.task in suite.tasks else f"{record.suite} has no task {record.task!r}."


def _draft(model: Path, several: list[tuple[Path, MeasurementRecord]], bench: ImportContext) -> Draft:
    first = several[0][1]
    assert first.identity is not None
    suite = load_suite(first.suite)
    facts = find_system(suite.name, system_name(first.identity))
    system, basis = apply_given_name(facts, suite.name, bench.name, "guessed" if is_local(first.identity) else "told")
    identity = msgspec.to_builtins(identity_of(first.identity))
    digest = digest_of("measurement", suite.name, suite.version, {record.task: _content(folder) for folder, record in several})
    draft = Draft(suite, system, Entry.Kind.TIMING, model.name, digest, basis, identity, bench.owner, model)
    figures = {record.task: own_figures(folder) for folder, record in several}
    draft.details = {"figures": {task: msgspec.to_builtins(row) for task, row in figures.items()}}
    draft.measurements = [row for task, one in figures.items() for row in measurement_rows(task, one)]
    return draft


def measurement_rows(task: str, row: Figures) -> Iterator[Measurement]:
    """Yield the rows that the board shows for the figures of a task."""
    assert row.profile is not None
    for quantity, names in QUANTITIES.items():
        value, low, high = (getattr(row, name) for name in names)
        if quantity == "memory" and row.paper is not None:  # the page shows the memory held with one record, for all systems
            value, low, high = row.paper.memory_gib, None, None
        if value is not None:
            note = "; ".join(row.notes) if quantity == "throughput" else ""
            yield Measurement(task=task, quantity=quantity, value=value, low=low, high=high, profile=row.profile.name[:200], note=note)


def _content(folder: Path) -> dict[str, Any]:
    """Return the content hashes of the raw records by file name."""
    files = [path for path in sorted(folder.iterdir()) if path.is_file() and not path.is_symlink() and path.suffix in (".json", ".jsonl")]
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in files}
