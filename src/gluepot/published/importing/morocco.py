"""MOROCCO timing folders: throughput, memory and start-up time of a model, task by task."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from gluepot.board.importing.drafts import Draft, ImportReport, digest_of
from gluepot.board.importing.predictions import ImportContext
from gluepot.board.importing.sources.reported import QUANTITIES
from gluepot.board.importing.systems.naming import apply_given_name
from gluepot.board.models import Entry, Measurement
from gluepot.efficiency.figures.timings import REPEATS, MedianOfRepeats, Timing, read_timing
from gluepot.efficiency.repeats import LARGEST_FILE, is_timing_file
from gluepot.records import Problem, Suite
from gluepot.submissions.opening.entries import displayed_path
from gluepot.submissions.opening.targets import named_task
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.published_results import load_published
from gluepot.tasks.systems import find_system, is_declared, names_of

SUITE = "russian-superglue"
PROFILE = "MOROCCO 2021, one GPU (as recorded)"


def timing_drafts(folders: Sequence[Path], bench: ImportContext, report: ImportReport) -> Iterator[Draft]:
    """Yield one entry per model, from the folders of its tasks."""
    suite, models = load_suite(SUITE), dict[Path, list[Path]]()
    for folder in folders:
        models.setdefault(folder.resolve().parent, []).append(folder)
    for model, tasks in models.items():
        draft = _draft(suite, model, tasks, bench, report)
        if draft.measurements:
            yield draft


def _draft(suite: Suite, model: Path, folders: list[Path], bench: ImportContext, report: ImportReport) -> Draft:
    facts = find_system(suite.name, model.name)
    system, basis = apply_given_name(facts, suite.name, bench.name, "told" if is_declared(suite.name, facts.name) else "guessed")
    draft = Draft(suite, system, Entry.Kind.TIMING, model.name, _digest(suite, folders), basis, owner=bench.owner, place=model)
    printed = _printed(suite, model.name)
    repeats: dict[str, int] = {}
    for folder in folders:
        task = named_task(suite, folder.resolve().name)
        if task is None:
            message = f"{suite.name} has no task {folder.name!r}: its timings were left out."
            report.problems.append(Problem("unknown-task", message, displayed_path(folder), hint="Name the folder after its task."))
            continue
        timing = read_timing(folder)
        if timing.memory is None and timing.ram is not None:
            timing.problems.append((folder.name, None, "no repeat with one record tells gpu_ram: no memory."))
        told = timing.problems
        report.problems += [Problem("odd-timing", sentence, displayed_path(f"{model}/{file}"), line) for file, line, sentence in told]
        draft.measurements += _rows(task.name, timing, printed)
        repeats[task.name] = timing.throughput.repeats if timing.throughput else 0
    draft.details = {"repeats": repeats, "protocol": suite.protocol.get("efficiency", {})}
    return draft


def _rows(task: str, timing: Timing, printed: dict[tuple[str, str], float]) -> Iterator[Measurement]:
    found = {"throughput": timing.throughput, "memory": timing.memory, "startup": timing.startup}
    for quantity, measured in found.items():
        if measured is not None:
            yield Measurement(
                task=task,
                quantity=quantity,
                value=measured.value,
                low=measured.low,
                high=measured.high,
                profile=PROFILE,
                reported=printed.get((task, quantity)),
                note=_note(measured, timing.startup if quantity == "throughput" else None),
            )


def _note(measured: MedianOfRepeats, startup: MedianOfRepeats | None) -> str:
    """Return the caveats of a measurement."""
    told = [] if measured.stable else [f"unstable: repeats differ by a factor of {measured.spread:.2g}"]
    if startup is not None and not startup.stable:
        told.append(f"the time to start, which is subtracted, varies by a factor of {startup.spread:.2g}")
    if measured.repeats < REPEATS:
        told.append(f"{measured.repeats} of {REPEATS} repeats")
    return "; ".join(told)


def _printed(suite: Suite, model: str) -> dict[tuple[str, str], float]:
    """Return the paper's figures for the same model, by task and quantity."""
    names = names_of(suite.name, model)
    return {
        (cell.task, QUANTITIES[cell.metric]): cell.value / cell.scale
        for cell in load_published(suite)
        if cell.model in names and cell.metric in QUANTITIES
    }


def _digest(suite: Suite, folders: list[Path]) -> str:
    files = [path for folder in folders for path in sorted(folder.iterdir()) if is_timing_file(path) and path.is_file()]
    taken = [path for path in files if not path.is_symlink() and path.stat().st_size <= LARGEST_FILE]
    content = {f"{path.parent.name}/{path.name}": sha256(path.read_bytes()).hexdigest() for path in taken}
    return digest_of("timings", suite.name, suite.version, content)
