"""The figures of one model on one task, as commands, reports and boards show them: all computed from raw records."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from gluepot.efficiency.figures.timings import REPEATS, MedianOfRepeats, Timing, read_timing
from gluepot.efficiency.hardware import HardwareProfile
from gluepot.efficiency.repeats import timing_folders
from gluepot.efficiency.run_records import MeasuredQuality, is_measurement
from gluepot.errors import GluepotError, WrongUse


class PaperFigures(Struct, frozen=True):
    """Throughput, memory at one record and start-up, as the paper defines them."""

    throughput: float | None
    memory_gib: float | None
    start_up_seconds: float | None


class Figures(Struct, kw_only=True, frozen=True):
    """What a model costs on a task. A figure that cannot be computed is null; an interval is at 95 %."""

    model: str
    task: str
    method: str = "paper"
    """How throughput was found: by the paper's formula, or as the slope of time over several numbers of records."""
    throughput: float | None = None
    """Records a second."""
    throughput_low: float | None = None
    throughput_high: float | None = None
    memory_gib: float | None = None
    memory_low: float | None = None
    memory_high: float | None = None
    memory_of: str | None = None
    """`gpu`, or `ram` where no GPU was used."""
    start_up_seconds: float | None = None
    start_up_low: float | None = None
    start_up_high: float | None = None
    repeats: int = 0
    spread: float | None = None
    """Of the repeats' throughputs, the largest as a multiple of the smallest; null where one is not above zero."""
    stable: bool = False
    notes: list[str] = []
    """What must be said beside the figures."""
    failure: str = ""
    """Why there are no figures, where the program did not do its work."""
    breach: str | None = None
    """The limit that it broke: time, memory, processes, cpu-time, disk, output."""
    suite: str | None = None
    split: str | None = None
    latency_p50_ms: float | None = None
    latency_p95_ms: float | None = None
    """From a single record to its answer."""
    ram_gib: float | None = None
    gpu_gib: float | None = None
    """Peaks of the whole tree of processes under load."""
    cpu_seconds_per_1000: float | None = None
    joules_per_1000: float | None = None
    """Of the whole processor package, for a thousand records."""
    cost_per_million: float | None = None
    """Of a million records, at the price that was told of an hour."""
    relative_throughput: float | None = None
    """Throughput by the calibration of its machine."""
    paper: PaperFigures | None = None
    """The same by the paper's formulas."""
    quality: MeasuredQuality | None = None
    sandbox: str = ""
    profile: HardwareProfile | None = None


class FigureReport(Struct):
    """The document that `measure --json` prints."""

    measurements: list[Figures] = []
    problems: list[str] = []


def figures_of(timing: Timing) -> Figures:
    """The paper's figures from the paper's kind of records."""
    throughput, startup, memory = timing.throughput, timing.startup, timing.memory or timing.ram
    return Figures(
        model=timing.model,
        task=timing.task,
        **_ends(throughput, "throughput", "throughput"),
        **_ends(memory, "memory_gib", "memory"),
        **_ends(startup, "start_up_seconds", "start_up"),
        memory_of=None if memory is None else "gpu" if timing.memory else "ram",
        repeats=throughput.repeats if throughput else 0,
        spread=throughput.spread if throughput else None,
        stable=bool(throughput and throughput.stable),
        notes=notes_of(throughput, startup),
    )


def _ends(measured: MedianOfRepeats | None, name: str, stem: str) -> dict[str, Any]:
    """A quantity under the names of its fields; nothing where it is not known."""
    return {} if measured is None else {name: measured.value, f"{stem}_low": measured.low, f"{stem}_high": measured.high}


def notes_of(throughput: MedianOfRepeats | None, startup: MedianOfRepeats | None = None) -> list[str]:
    """What must be said beside a throughput; `startup` where it was subtracted."""
    if throughput is None:
        return []
    told = [] if throughput.stable else [f"unstable: repeats differ by a factor of {throughput.spread:.2g}"]
    if startup is not None and not startup.stable:
        told.append(f"the time to start, which is subtracted, varies by a factor of {startup.spread:.2g}")
    if throughput.repeats < REPEATS:
        told.append(f"{throughput.repeats} of {REPEATS} repeats")
    return told


def read_figures(folders: Sequence[Path]) -> FigureReport:
    """The figures of all folders of tasks, in order, and what is wrong with their records."""
    from gluepot.efficiency.figures.own_figures import own_figures

    report = FigureReport()
    for folder in folders:
        if is_measurement(folder):
            report.measurements.append(own_figures(folder))
            continue
        timing = read_timing(folder)
        report.measurements.append(figures_of(timing))
        report.problems += [sentence_of(folder, *problem) for problem in timing.problems]
    return report


def sentence_of(folder: Path, file: str, line: int | None, sentence: str) -> str:
    """A problem with its place, below the folder of the model."""
    place = folder.parent / file
    return f"{place}{'' if line is None else f', line {line:,}'}: {sentence}"


def find_records(place: Path) -> list[Path]:
    """The folders of tasks with raw records; an error where there is none."""
    if not place.exists():
        raise WrongUse(f"{place}: there is no such folder.")
    found = timing_folders(place)
    if not found:
        raise GluepotError(f"{place}: no raw records there: MODEL/TASK/<records>_<batch>_<repeat>.jsonl, as `gluepot measure` keeps them.")
    return found
