"""Throughput, memory and start-up time by the formulas of the paper that first published such figures.

T is the last timestamp of a repeat minus the first, T_init the median T of the repeats with one record, and

    throughput = N / median(T_N − T_init),    memory = median over the repeats with one record of the largest gpu_ram.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np

from gluepot.efficiency.repeats import RecordProblem, Repeat, read_repeats
from gluepot.metrics.sample import Floats
from gluepot.plurals import pluralize
from gluepot.statistics.bootstrap import generator, interval

RECORDS, BATCH, REPEATS = 2000, 32, 5
"""Records, batch size and repeats of the paper's throughput."""
UNSTABLE = 1.25
"""Repeats that differ by more than this factor are unstable: a quarter is the paper's own difference between models."""
GIB = 1024**3
_DRAWS = 2000


@dataclass(frozen=True)
class MedianOfRepeats:
    """A median over repeats, with an interval for its variation between repeats."""

    value: float
    low: float | None
    high: float | None
    spread: float
    """Largest repeat as a multiple of the smallest."""
    repeats: int

    @property
    def stable(self) -> bool:
        return self.spread <= UNSTABLE


@dataclass
class Timing:
    """Timings of one model on one task."""

    model: str
    task: str
    throughput: MedianOfRepeats | None = None
    memory: MedianOfRepeats | None = None
    """Memory of the GPU, in GiB."""
    ram: MedianOfRepeats | None = None
    """Memory of the machine, in GiB."""
    startup: MedianOfRepeats | None = None
    problems: list[RecordProblem] = field(default_factory=list)


def read_timing(folder: Path, records: int = RECORDS, batch: int = BATCH) -> Timing:
    """Read the timings of a task's folder, with the problems of its records."""
    timing = Timing(folder.parent.resolve().name, folder.resolve().name)
    repeats = list(read_repeats(folder, timing.problems))
    started = [repeat for repeat in repeats if (repeat.records, repeat.batch) == (1, 1)]
    loaded = [repeat for repeat in repeats if (repeat.records, repeat.batch) == (records, batch)]
    if not started:
        timing.problems.append((folder.name, None, "no sound repeat with one record (1_1_*): nothing can be computed."))
        return timing
    startup = np.array([repeat.seconds for repeat in started])
    timing.startup = median_of(startup, timing.model, timing.task)
    timing.memory, timing.ram = (_memory(started, what, timing) for what in ("gpu_ram", "ram"))
    if timing.memory is None and timing.ram is None:
        timing.problems.append((folder.name, None, "no repeat with one record tells gpu_ram or ram: no memory."))
    if loaded:
        timing.throughput = _throughput(np.array([repeat.seconds for repeat in loaded]), startup, timing, records)
    else:
        timing.problems.append(
            (folder.name, None, f"no sound repeat with {pluralize(records, 'record')} in batches of {batch}: no throughput.")
        )
    return timing


def _memory(started: Sequence[Repeat], what: str, timing: Timing) -> MedianOfRepeats | None:
    held = [getattr(repeat, what) / GIB for repeat in started if getattr(repeat, what) is not None]
    return median_of(np.array(held), timing.model, timing.task) if held else None


def _throughput(loaded: Floats, startup: Floats, timing: Timing, records: int) -> MedianOfRepeats | None:
    """Compute throughput by the paper's formula; its interval resamples both kinds of repeats."""
    net = loaded - median(startup)
    if median(net) <= 0:
        message = f"{pluralize(records, 'record')} took no longer than one: no throughput."
        timing.problems.append((timing.task, None, message))
        return None
    value = float(records / median(net))
    if len(loaded) < 2 or len(startup) < 2:
        return MedianOfRepeats(value, None, None, spread_of(net), len(loaded))
    rng = generator("timings", timing.model, timing.task, "throughput")
    drawn = np.median(rng.choice(loaded, (_DRAWS, len(loaded))), axis=1) - np.median(rng.choice(startup, (_DRAWS, len(startup))), axis=1)
    low, high = interval(np.divide(records, drawn, out=np.full(_DRAWS, np.nan), where=drawn > 0)) or (None, None)
    return MedianOfRepeats(value, low, high, spread_of(net), len(loaded))


def median_of(values: Floats, *key: str) -> MedianOfRepeats:
    """Return the median and the spread, with a bootstrap interval if there are at least two values."""
    if len(values) < 2:
        return MedianOfRepeats(float(median(values)), None, None, spread_of(values), len(values))
    rng = generator("timings", *key, "median")
    low, high = interval(np.median(rng.choice(values, (_DRAWS, len(values))), axis=1)) or (None, None)
    return MedianOfRepeats(float(median(values)), low, high, spread_of(values), len(values))


def spread_of(values: Floats) -> float:
    """Return the largest value as a multiple of the smallest; infinity if one is not above zero.

    >>> spread_of(np.array([2.0, 3.0]))
    1.5
    """
    return float(values.max() / values.min()) if values.min() > 0 else float("inf")
