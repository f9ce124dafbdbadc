"""Raw records of measurements: a folder `<model>/<task>/` holds `<records>_<batch>_<repeat>.jsonl`, one line per sample of the machine.

Layout and fields are those of the first harness that published such records, so that its records and ours are read alike.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from gluepot.strict_json import InvalidLineError, decode_strictly

LARGEST_FILE = 64 * 1024**2
_NAME = re.compile(r"([1-9]\d{0,8})_([1-9]\d{0,8})_(\d{1,6})\.jsonl")
Amount = Annotated[float, Meta(ge=0, le=1e18)]
RecordProblem = tuple[str, int | None, str]
"""File, line and message."""


class ResourceSample(Struct, frozen=True):
    """One sample of the machine, in seconds and bytes; values that could not be read are null."""

    timestamp: Annotated[float, Meta(ge=0, le=1e12)]
    cpu_usage: Amount | None = None
    ram: Amount | None = None
    gpu_usage: Amount | None = None
    gpu_ram: Amount | None = None


@dataclass(frozen=True)
class Repeat:
    """One run of the program."""

    records: int
    batch: int
    number: int
    seconds: float
    """From the first sample to the last."""
    ram: float | None
    gpu_ram: float | None
    """Peak memory, in bytes."""


def is_timing_file(path: Path) -> bool:
    """Return whether a file is named like a repeat.

    >>> is_timing_file(Path("2000_32_01.jsonl")), is_timing_file(Path("test.jsonl"))
    (True, False)
    """
    return _NAME.fullmatch(path.name) is not None


def is_timing_folder(folder: Path) -> bool:
    """Return whether a folder holds the repeats of one task."""
    return any(is_timing_file(path) for path in folder.iterdir())


def timing_folders(place: Path) -> list[Path]:
    """Return the task folders at a place: a task's own, a model's, or those of several models."""
    if not place.is_dir():
        return []
    if is_timing_folder(place):
        return [place]
    inside = [folder for folder in sorted(place.iterdir()) if folder.is_dir()]
    tasks = [folder for folder in inside if is_timing_folder(folder)]
    return tasks or [task for model in inside for task in sorted(model.iterdir()) if task.is_dir() and is_timing_folder(task)]


def read_repeats(folder: Path, problems: list[RecordProblem]) -> Iterator[Repeat]:
    """Yield the valid repeats of a task's folder; problems of the others are added to `problems`."""
    for path in sorted(folder.iterdir()):
        name = _NAME.fullmatch(path.name)
        if name is None or path.is_symlink() or not path.is_file():
            if path.suffix == ".jsonl":
                problems.append((f"{folder.name}/{path.name}", None, "not a file <records>_<batch>_<repeat>.jsonl: left out."))
            continue
        samples = read_samples(path, problems)
        if samples:
            seconds = samples[-1].timestamp - samples[0].timestamp
            ram, gpu = (
                max((held for sample in samples if (held := getattr(sample, what)) is not None), default=None)
                for what in ("ram", "gpu_ram")
            )
            yield Repeat(int(name[1]), int(name[2]), int(name[3]), seconds, ram, gpu)


def read_samples(path: Path, problems: list[RecordProblem]) -> Sequence[ResourceSample]:
    """Return the samples of one repeat; none, with a problem, if a single line is invalid: a part would give another time."""
    place = f"{path.parent.name}/{path.name}"
    try:
        if path.stat().st_size > LARGEST_FILE:
            problems.append((place, None, f"more than {LARGEST_FILE // 1024**2} MB: left out."))
            return []
        lines = path.read_bytes().splitlines()
    except OSError as error:
        problems.append((place, None, f"cannot be read: {error.strerror}; left out."))
        return []
    samples: list[ResourceSample] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            samples.append(msgspec.convert(decode_strictly(line), ResourceSample))
        except (InvalidLineError, msgspec.ValidationError) as error:
            problems.append((place, number, f"{str(error).rstrip('.')}; the repeat is left out."))
            return []
        if len(samples) > 1 and samples[-1].timestamp < samples[-2].timestamp:
            problems.append((place, number, "the clock goes backwards; the repeat is left out."))
            return []
    if len(samples) < 2:
        problems.append((place, None, "fewer than two samples: no time can be computed; skipped."))
        return []
    return samples
