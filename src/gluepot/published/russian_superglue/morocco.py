"""MOROCCO's raw timings: one file a repeat, one record a sample of the machine; throughput and memory as its paper defines them.

A folder `<model>/<task>/` holds `<records>_<batch>_<repeat>.jsonl`. T is the last timestamp minus the first, T_init the median
T of the repeats with one record, and

    throughput = N / median(T_N − T_init),    memory = median over the repeats with one record of the largest gpu_ram.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta, Struct

from gluepot.metrics.sample import Floats
from gluepot.statistics.bootstrap import generator, interval
from gluepot.strict_json import OddLineError, decode_strictly

RECORDS, BATCH, REPEATS = 2000, 32, 5
"""What the paper measures throughput with, and how often."""
UNSTABLE = 1.25
"""Repeats that differ by more than this factor are no measurement: a quarter is the paper's own difference between models."""
LARGEST_FILE = 64 * 1024**2
_NAME = re.compile(r"([1-9]\d{0,8})_([1-9]\d{0,8})_(\d{1,6})\.jsonl")
_GIB = 1024**3
_DRAWS = 2000


class Sampled(Struct, frozen=True):
    """One look at the machine; what could not be read is null."""

    timestamp: Annotated[float, Meta(ge=0, le=1e12)]
    gpu_ram: Annotated[float, Meta(ge=0, le=1e18)] | None = None


@dataclass(frozen=True)
class Repeat:
    """One run of the program."""

    records: int
    batch: int
    seconds: float
    gpu_ram: float | None
    """The most that it held, in bytes."""


@dataclass(frozen=True)
class MedianOfRepeats:
    """A median over repeats with an interval: what other repeats might have given."""

    value: float
    low: float | None
    high: float | None
    spread: float
    """The largest repeat as a multiple of the smallest."""
    repeats: int

    @property
    def stable(self) -> bool:
        return self.spread <= UNSTABLE


@dataclass
class Timing:
    """One model on one task."""

    model: str
    task: str
    throughput: MedianOfRepeats | None = None
    memory: MedianOfRepeats | None = None
    startup: MedianOfRepeats | None = None
    problems: list[tuple[str, int | None, str]] = field(default_factory=list)
    """File, line and sentence."""


def is_timing_file(path: Path) -> bool:
    """Whether a file is named like a repeat.

    >>> is_timing_file(Path("2000_32_01.jsonl")), is_timing_file(Path("test.jsonl"))
    (True, False)
    """
    return _NAME.fullmatch(path.name) is not None


def is_timing_folder(folder: Path) -> bool:
    """Whether a folder holds the repeats of one task."""
    return any(is_timing_file(path) for path in folder.iterdir())


def timing_folders(place: Path) -> list[Path]:
    """The folders of tasks at a place: a task's own, a model's, or one that holds several models'."""
    if not place.is_dir():
        return []
    if is_timing_folder(place):
        return [place]
    inside = [folder for folder in sorted(place.iterdir()) if folder.is_dir()]
    tasks = [folder for folder in inside if is_timing_folder(folder)]
    return tasks or [task for model in inside for task in sorted(model.iterdir()) if task.is_dir() and is_timing_folder(task)]


def read_timing(folder: Path) -> Timing:
    """Everything that one task's folder tells, and what is wrong with it."""
    timing = Timing(folder.parent.resolve().name, folder.resolve().name)
    repeats = list(_read_repeats(folder, timing))
    started = [repeat for repeat in repeats if (repeat.records, repeat.batch) == (1, 1)]
    loaded = [repeat for repeat in repeats if (repeat.records, repeat.batch) == (RECORDS, BATCH)]
    if not started:
        timing.problems.append((folder.name, None, "no sound repeat with one record (1_1_*): nothing can be computed."))
        return timing
    startup = np.array([repeat.seconds for repeat in started])
    timing.startup = _median(startup, timing)
    memory = [repeat.gpu_ram / _GIB for repeat in started if repeat.gpu_ram is not None]
    if memory:
        timing.memory = _median(np.array(memory), timing)
    else:
        timing.problems.append((folder.name, None, "no repeat with one record tells gpu_ram: no memory."))
    if loaded:
        timing.throughput = _throughput(np.array([repeat.seconds for repeat in loaded]), startup, timing)
    else:
        timing.problems.append((folder.name, None, f"no sound repeat with {RECORDS} records in batches of {BATCH}: no throughput."))
    return timing


def _throughput(loaded: Floats, startup: Floats, timing: Timing) -> MedianOfRepeats | None:
    """The paper's formula; its interval draws repeats of both kinds anew."""
    net = loaded - median(startup)
    if median(net) <= 0:
        message = f"{RECORDS} records took no longer than one: no throughput."
        timing.problems.append((timing.task, None, message))
        return None
    value, spread = float(RECORDS / median(net)), float(net.max() / net.min()) if net.min() > 0 else float("inf")
    if len(loaded) < 2 or len(startup) < 2:
        return MedianOfRepeats(value, None, None, spread, len(loaded))
    rng = generator("morocco", timing.model, timing.task, "throughput")
    drawn = np.median(rng.choice(loaded, (_DRAWS, len(loaded))), axis=1) - np.median(rng.choice(startup, (_DRAWS, len(startup))), axis=1)
    low, high = interval(np.divide(RECORDS, drawn, out=np.full(_DRAWS, np.nan), where=drawn > 0)) or (None, None)
    return MedianOfRepeats(value, low, high, spread, len(loaded))


def _median(values: Floats, timing: Timing) -> MedianOfRepeats:
    spread = float(values.max() / values.min()) if values.min() > 0 else float("inf")
    if len(values) < 2:
        return MedianOfRepeats(float(median(values)), None, None, spread, len(values))
    rng = generator("morocco", timing.model, timing.task, "median")
    low, high = interval(np.median(rng.choice(values, (_DRAWS, len(values))), axis=1)) or (None, None)
    return MedianOfRepeats(float(median(values)), low, high, spread, len(values))


def _read_repeats(folder: Path, timing: Timing) -> Iterator[Repeat]:
    for path in sorted(folder.iterdir()):
        name = _NAME.fullmatch(path.name)
        if name is None or path.is_symlink() or not path.is_file():
            if path.suffix == ".jsonl":
                timing.problems.append((f"{folder.name}/{path.name}", None, "not a file <records>_<batch>_<repeat>.jsonl: left out."))
            continue
        samples = _read_samples(path, timing)
        if samples:
            held = [sample.gpu_ram for sample in samples if sample.gpu_ram is not None]
            seconds = samples[-1].timestamp - samples[0].timestamp
            yield Repeat(int(name[1]), int(name[2]), seconds, max(held, default=None))


def _read_samples(path: Path, timing: Timing) -> Sequence[Sampled]:
    """The samples of one repeat; none, with a problem, if a single line is odd: a part would give another time."""
    place = f"{path.parent.name}/{path.name}"
    try:
        if path.stat().st_size > LARGEST_FILE:
            timing.problems.append((place, None, f"more than {LARGEST_FILE // 1024**2} MB: left out."))
            return []
        lines = path.read_bytes().splitlines()
    except OSError as error:
        timing.problems.append((place, None, f"cannot be read: {error.strerror}; left out."))
        return []
    samples: list[Sampled] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            samples.append(msgspec.convert(decode_strictly(line), Sampled))
        except (OddLineError, msgspec.ValidationError) as error:
            timing.problems.append((place, number, f"{str(error).rstrip('.')}; the repeat is left out."))
            return []
        if len(samples) > 1 and samples[-1].timestamp < samples[-2].timestamp:
            timing.problems.append((place, number, "the clock goes backwards; the repeat is left out."))
            return []
    if len(samples) < 2:
        timing.problems.append((place, None, "fewer than two samples: no time can be told; left out."))
        return []
    return samples
