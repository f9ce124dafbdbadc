"""Stored records of a measurement: samples and answer times per run, and one document on its subject, settings and hardware."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from gluepot.efficiency.hardware import HardwareProfile
from gluepot.errors import GluepotError
from gluepot.files import write_atomically
from gluepot.programs.execution import Outcome
from gluepot.runs.storage.manifest import Identity
from gluepot.strict_json import InvalidLineError, decode_strictly

T = TypeVar("T")
MEASUREMENT, PREDICTIONS = "measurement.json", "predictions.json"
LARGEST = 16 * 1024**2
ARRIVALS = 200
"""Number of stored points of the curve of answers over time."""


class RunRecord(Struct, frozen=True, omit_defaults=True):
    """One run of the program; seconds count from its start."""

    records: int
    batch: int
    number: int
    started: float
    """Time of the start, in seconds since 1970."""
    seconds: float
    first: float | None = None
    """Time until the first answers."""
    first_answers: int = 0
    last: float | None = None
    """Time until the last answer."""
    ready: float | None = None
    """Time until the first batch was answered, if the rest was sent only then."""
    ready_answers: int = 0
    arrivals: list[tuple[float, int]] = []
    cpu_seconds: float = 0.0
    ram: int = 0
    gpu_ram: int | None = None
    joules: float | None = None
    code: int | None = None
    breach: str | None = None
    failure: str = ""
    """Reason why it is not a measurement."""
    left_running: int = 0
    network_attempts: int = 0


class MeasuredQuality(Struct, frozen=True, omit_defaults=True):
    """Score of the timed answers."""

    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    split: str
    partial: bool = False
    """Whether only some items of the split were answered; such a score is never ranked."""
    reason: str = ""
    differing: float = 0.0
    """Share of answers to repeated items that differ from the first answer."""


class MeasurementRecord(Struct, frozen=True, omit_defaults=True):
    """Subject, settings and hardware of a measurement."""

    model: str
    suite: str
    version: str
    task: str
    split: str
    items: int
    records: int
    batch: int
    repeats: int
    seed: int
    profile: HardwareProfile
    sandbox: str = ""
    """Back end of the sandbox, if there was one."""
    price: float | None = None
    """Price of an hour of this machine."""
    latencies: list[float] = []
    """Seconds from a single record to its answer, in sequence."""
    no_latency: str = ""
    quality: MeasuredQuality | None = None
    learned_each_time: bool = False
    failure: str = ""
    breach: str | None = None
    identity: Identity | None = None
    """Identity of the measured system, as in a run's manifest: it links the system's figures and scores."""


def run_record(
    outcome: Outcome,
    records: int,
    batch: int,
    number: int,
    started: float,
    failure: str,
    joules: float | None,
    ready: tuple[float, int] | None = None,
) -> RunRecord:
    """Return the stored record of a run."""
    begin, arrivals = outcome.started, outcome.arrivals
    step = max(1, -(-len(arrivals) // ARRIVALS))
    kept = [*arrivals[::step], *arrivals[-1:]] if step > 1 else arrivals
    gpu = [sample.gpu_ram for sample in outcome.samples if sample.gpu_ram is not None]
    return RunRecord(
        records=records,
        batch=batch,
        number=number,
        started=started,
        seconds=outcome.ended - begin,
        first=arrivals[0][0] - begin if arrivals else None,
        first_answers=arrivals[0][1] if arrivals else 0,
        last=arrivals[-1][0] - begin if arrivals else None,
        ready=ready[0] - begin if ready else None,
        ready_answers=ready[1] if ready else 0,
        arrivals=[(round(time - begin, 6), lines) for time, lines in kept],
        cpu_seconds=outcome.cpu_seconds,
        ram=outcome.peak,
        gpu_ram=max(gpu, default=None),
        joules=joules,
        code=outcome.code,
        breach=outcome.breach,
        failure=failure,
        left_running=outcome.left_running,
        network_attempts=outcome.network_attempts,
    )


def save_run(folder: Path, record: RunRecord, outcome: Outcome) -> None:
    """Write the samples of a run in the format of the paper's harness, and the rest beside them."""
    name, rows, before = f"{record.records}_{record.batch}_{record.number:02}", [], None
    for sample in outcome.samples:
        spent = sample.time - before.time if before else 0.0
        usage = round((sample.cpu - before.cpu) / spent, 3) if before and spent > 0 else 0.0
        stamp = record.started + sample.time - outcome.started
        rows.append({"timestamp": stamp, "cpu_usage": max(0.0, usage), "ram": sample.ram, "gpu_usage": None, "gpu_ram": sample.gpu_ram})
        before = sample
    write_atomically(folder / f"{name}.run.json", _document(record))
    rows.sort(key=lambda row: float(row["timestamp"] or 0))
    write_atomically(folder / f"{name}.jsonl", b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


def save(folder: Path, name: str, document: Any) -> None:
    write_atomically(folder / name, _document(document))


def _document(document: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def is_measurement(folder: Path) -> bool:
    """Return whether a folder of raw records is one of gluepot's own measurements."""
    return (folder / MEASUREMENT).is_file()


def read_measurement(folder: Path) -> MeasurementRecord:
    return _read(folder / MEASUREMENT, MeasurementRecord)


def read_runs(folder: Path) -> list[RunRecord]:
    """Return all runs, in the order in which they were made."""
    return sorted(_runs(folder), key=lambda run: run.started)


def _runs(folder: Path) -> Iterator[RunRecord]:
    for path in sorted(folder.glob("*.run.json")):
        if not path.is_symlink():
            yield _read(path, RunRecord)


def _read(path: Path, shape: type[T]) -> T:
    """Read a document as strictly as uploads by strangers."""
    try:
        if path.stat().st_size > LARGEST:
            raise GluepotError(f"{path}: more than {LARGEST // 1024**2} MB.")
        return msgspec.convert(decode_strictly(path.read_bytes()), shape)
    except (InvalidLineError, msgspec.ValidationError) as error:
        raise GluepotError(f"{path}: the file is broken: {str(error).rstrip('.')}.") from error


def failed_runs(runs: Sequence[RunRecord]) -> list[RunRecord]:
    return [run for run in runs if run.failure]
