"""Figures of one model on one task, as shown by commands, reports and boards: all are computed from raw records."""

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
    """Throughput, memory at one record and start-up time, as defined by the paper."""

    throughput: float | None
    memory_gib: float | None
    start_up_seconds: float | None


class Figures(Struct, kw_only=True, frozen=True):
    """Cost of a model on a task. A figure that cannot be computed is null; intervals are at 95 %."""

    model: str
    task: str
    method: str = "paper"
    """Method for throughput: the paper's formula, or the slope of time over several numbers of records."""
    throughput: float | None = None
    """Records per second."""
    throughput_low: float | None = None
    throughput_high: float | None = None
    memory_gib: float | None = None
    memory_low: float | None = None
    memory_high: float | None = None
    memory_of: str | None = None
    """`gpu`, or `ram` if no GPU was used."""
    start_up_seconds: float | None = None
    start_up_low: float | None = None
    start_up_high: float | None = None
    repeats: int = 0
    spread: float | None = None
    """Largest throughput of the repeats as a multiple of the smallest; null if one is not above zero."""
    stable: bool = False
    notes: list[str] = []
    """Caveats to be shown with the figures."""
    failure: str = ""
    """Reason for missing figures, if the program failed."""
    breach: str | None = None
    """Limit that was exceeded: time, memory, processes, cpu-time, disk, output."""
    suite: str | None = None
    split: str | None = None
    latency_p50_ms: float | None = None
    latency_p95_ms: float | None = None
    """From a single record to its answer, in milliseconds."""
    ram_gib: float | None = None
    gpu_gib: float | None = None
    """Peaks of the whole process tree under load."""
    cpu_seconds_per_1000: float | None = None
    joules_per_1000: float | None = None
    """Energy of the whole processor package per thousand records."""
    cost_per_million: float | None = None
    """Cost of a million records, at the given price per hour."""
    relative_throughput: float | None = None
    """Throughput divided by the calibration of its machine."""
    paper: PaperFigures | None = None
    """The same figures by the paper's formulas."""
    quality: MeasuredQuality | None = None
    sandbox: str = ""
    profile: HardwareProfile | None = None


class FigureReport(Struct):
    """Document printed by `measure --json`."""

    measurements: list[Figures] = []
    problems: list[str] = []


def figures_of(timing: Timing) -> Figures:
    """Compute the paper's figures from records in the paper's format."""
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
        notes=throughput_caveats(throughput, startup),
    )


def _ends(measured: MedianOfRepeats | None, name: str, stem: str) -> dict[str, Any]:
    """Return a quantity under the names of its fields; empty if it is unknown."""
    return {} if measured is None else {name: measured.value, f"{stem}_low": measured.low, f"{stem}_high": measured.high}


def throughput_caveats(throughput: MedianOfRepeats | None, startup: MedianOfRepeats | None = None) -> list[str]:
    """Return the caveats of a throughput; `startup` is given if it was subtracted."""
    if throughput is None:
        return []
    told = [] if throughput.stable else [f"unstable: repeats differ by a factor of {throughput.spread:.2g}"]
    if startup is not None and not startup.stable:
        told.append(f"the time to start, which is subtracted, varies by a factor of {startup.spread:.2g}")
    if throughput.repeats < REPEATS:
        told.append(f"{throughput.repeats} of {REPEATS} repeats")
    return told


def read_figures(folders: Sequence[Path]) -> FigureReport:
    """Return the figures of all task folders, in order, with the problems of their records."""
    from gluepot.efficiency.figures.own_figures import own_figures

    report = FigureReport()
    for folder in folders:
        if is_measurement(folder):
            report.measurements.append(own_figures(folder))
            continue
        timing = read_timing(folder)
        report.measurements.append(figures_of(timing))
        report.problems += [format_problem(folder, *problem) for problem in timing.problems]
    return report


def format_problem(folder: Path, file: str, line: int | None, sentence: str) -> str:
    """Return a problem as a sentence with its location, below the model's folder."""
    place = folder.parent / file
    return f"{place}{'' if line is None else f', line {line:,}'}: {sentence}"


def find_records(place: Path) -> list[Path]:
    """Return the task folders with raw records; raise an error if there is none."""
    if not place.exists():
        raise WrongUse(f"{place}: there is no such folder.")
    found = timing_folders(place)
    if not found:
        raise GluepotError(f"{place}: no raw records there: MODEL/TASK/<records>_<batch>_<repeat>.jsonl, as `gluepot measure` keeps them.")
    return found
