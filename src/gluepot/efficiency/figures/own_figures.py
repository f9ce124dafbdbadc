"""Figures of one of gluepot's own measurements, computed from its stored records."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np

from gluepot.efficiency.figures import Figures, PaperFigures, figures_of
from gluepot.efficiency.figures.slope import Slope, estimate_slope, group_by_round, repeat_speedup
from gluepot.efficiency.figures.timings import GIB, UNSTABLE, MedianOfRepeats, Timing, median_of, read_timing
from gluepot.efficiency.run_records import MeasurementRecord, RunRecord, read_measurement, read_runs
from gluepot.plurals import pluralize

HOUR, MILLION = 3600, 1_000_000


def own_figures(folder: Path) -> Figures:
    """Compute all figures from the raw records alone."""
    record, runs = read_measurement(folder), read_runs(folder)
    rounds = group_by_round(runs, record.batch, record.repeats)
    slope = estimate_slope(rounds, record.model, record.task)
    loaded = [run for one in rounds for run in one]
    started = [run for run in runs if run.records == 1 and not run.failure and run.first is not None]
    startup = _median([run.first for run in started if run.first is not None], record)
    ram = _median([run.ram / GIB for run in loaded if run.ram], record)
    gpu = _median([run.gpu_ram / GIB for run in loaded if run.gpu_ram], record)
    memory = gpu or ram
    times = np.array(record.latencies) * 1000
    return Figures(
        model=record.model,
        task=record.task,
        suite=record.suite,
        split=record.split,
        method="slope",
        throughput=slope.value if slope else None,
        throughput_low=slope.low if slope else None,
        throughput_high=slope.high if slope else None,
        memory_gib=memory.value if memory else None,
        memory_low=memory.low if memory else None,
        memory_high=memory.high if memory else None,
        memory_of=None if memory is None else "gpu" if gpu else "ram",
        ram_gib=ram.value if ram else None,
        gpu_gib=gpu.value if gpu else None,
        start_up_seconds=startup.value if startup else None,
        start_up_low=startup.low if startup else None,
        start_up_high=startup.high if startup else None,
        repeats=slope.rounds if slope else 0,
        spread=slope.spread if slope else None,
        stable=bool(slope and slope.spread <= UNSTABLE),
        latency_p50_ms=float(np.percentile(times, 50)) if len(times) else None,
        latency_p95_ms=float(np.percentile(times, 95)) if len(times) else None,
        cpu_seconds_per_1000=_per_thousand(started, loaded, "cpu_seconds"),
        joules_per_1000=_per_thousand(started, loaded, "joules"),
        cost_per_million=record.price / HOUR * MILLION / slope.value if slope and record.price is not None else None,
        relative_throughput=slope.value / record.profile.calibration if slope and record.profile.calibration else None,
        paper=_paper(folder, record),
        quality=record.quality,
        sandbox=record.sandbox,
        profile=record.profile,
        failure=record.failure,
        breach=record.breach,
        notes=_notes(record, runs, slope, loaded),
    )


def _median(values: Sequence[float], record: MeasurementRecord) -> MedianOfRepeats | None:
    return median_of(np.array(values), record.model, record.task) if values else None


def _paper(folder: Path, record: MeasurementRecord) -> PaperFigures:
    timing: Timing = read_timing(folder, record.records, record.batch)
    found = figures_of(timing)
    return PaperFigures(found.throughput, found.memory_gib, found.start_up_seconds)


def _per_thousand(started: Sequence[RunRecord], loaded: Sequence[RunRecord], what: str) -> float | None:
    """Return the consumption per thousand records, beyond that of a start."""
    most = max((run.records for run in loaded), default=0)
    whole = [value for run in loaded if run.records == most and (value := getattr(run, what)) is not None]
    start = [value for run in started if (value := getattr(run, what)) is not None]
    if not whole or not start or most < 2:
        return None
    return max(0.0, float(median(whole) - median(start)) / (most - 1) * 1000)


def _notes(record: MeasurementRecord, runs: Sequence[RunRecord], slope: Slope | None, loaded: Sequence[RunRecord]) -> list[str]:
    told = _notes_on_runs(runs)
    if slope and slope.spread > UNSTABLE:
        told.append(f"unstable: rounds differ by a factor of {slope.spread:.2g}")
    if slope is None and not record.failure:
        told.append("no throughput: more records took no longer than few, beyond what a busy machine makes of it")
    if slope and slope.rounds < 2:
        told.append("a single round: no interval")
    if slope and not slope.streamed:
        told.append("it answers nothing before its input ends, or does not flush: throughput is of the whole time")
    if faster := repeat_speedup(loaded, record.items):
        told.append(f"repeated items are answered {faster:.2g} times as fast: it caches answers")
    if record.quality and record.quality.differing:
        told.append(f"{record.quality.differing:.1%} of the answers to repeated items differ from the first")
    if record.learned_each_time:
        told.append("what it learned cannot be kept: start-up has the learning in it")
    if record.no_latency and not record.failure:
        told.append(f"no latency: {record.no_latency}")
    if record.profile.load is not None and record.profile.load > record.profile.cores:
        told.append(f"the machine was busy: a load of {record.profile.load:.1f} on {pluralize(record.profile.cores, 'core')}")
    return told


def _notes_on_runs(runs: Sequence[RunRecord]) -> list[str]:
    told = []
    if left := max((run.left_running for run in runs), default=0):
        told.append(f"it left {pluralize(left, 'process', 'processes')} running, which were ended")
    if tried := max((run.network_attempts for run in runs), default=0):
        told.append(f"it tried the network {pluralize(tried, 'time')}, in vain")
    if any(not run.ram and not run.failure for run in runs):
        told.append("memory and processor time are not known: its processes cannot be seen from here")
    return told
