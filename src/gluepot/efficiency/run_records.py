"""What is kept of a measurement: per run the samples and when answers came, and one document on what was measured and where."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from gluepot.efficiency.hardware import HardwareProfile
from gluepot.errors import GluepotError
from gluepot.files import write_whole
from gluepot.programs.execution import Outcome
from gluepot.runs.storage.manifest import Identity
from gluepot.strict_json import OddLineError, decode_strictly

T = TypeVar("T")
MEASUREMENT, PREDICTIONS = "measurement.json", "predictions.json"
LARGEST = 16 * 1024**2
ARRIVALS = 200
"""Points of the curve of answers over time that are kept."""


class RunRecord(Struct, frozen=True, omit_defaults=True):
    """One run of the program; seconds count from its start."""

    records: int
    batch: int
    number: int
    started: float
    """When, in seconds since 1970."""
    seconds: float
    first: float | None = None
    """Until the first answers came."""
    first_answers: int = 0
    last: float | None = None
    """Until the last answer had come."""
    ready: float | None = None
    """Until the first batch was answered, if the others were only asked then."""
    ready_answers: int = 0
    arrivals: list[tuple[float, int]] = []
    cpu_seconds: float = 0.0
    ram: int = 0
    gpu_ram: int | None = None
    joules: float | None = None
    code: int | None = None
    breach: str | None = None
    failure: str = ""
    """Why it is no measurement, in words."""
    left_running: int = 0
    network_attempts: int = 0


class MeasuredQuality(Struct, frozen=True, omit_defaults=True):
    """The score of the answers that were timed."""

    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    split: str
    partial: bool = False
    """Whether only some items of the split were asked: never ranked."""
    reason: str = ""
    differing: float = 0.0
    """The share of answers, among those to items asked again, that differ from the first."""


class MeasurementRecord(Struct, frozen=True, omit_defaults=True):
    """What was measured, how and where."""

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
    """The back end, where there was one."""
    price: float | None = None
    """Of an hour of this machine."""
    latencies: list[float] = []
    """Seconds from a single record to its answer, one after the other."""
    no_latency: str = ""
    quality: MeasuredQuality | None = None
    learned_each_time: bool = False
    failure: str = ""
    breach: str | None = None
    identity: Identity | None = None
    """What was measured, as a run's manifest has it: figures and scores of one system find each other by it."""


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
    """What is kept of a run."""
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
    """Its samples as the paper's harness kept them, and the rest beside them."""
    name, rows, before = f"{record.records}_{record.batch}_{record.number:02}", [], None
    for sample in outcome.samples:
        spent = sample.time - before.time if before else 0.0
        usage = round((sample.cpu - before.cpu) / spent, 3) if before and spent > 0 else 0.0
        stamp = record.started + sample.time - outcome.started
        rows.append({"timestamp": stamp, "cpu_usage": max(0.0, usage), "ram": sample.ram, "gpu_usage": None, "gpu_ram": sample.gpu_ram})
        before = sample
    write_whole(folder / f"{name}.run.json", _document(record))
    rows.sort(key=lambda row: float(row["timestamp"] or 0))
    write_whole(folder / f"{name}.jsonl", b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


def save(folder: Path, name: str, document: Any) -> None:
    write_whole(folder / name, _document(document))


def _document(document: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def is_measurement(folder: Path) -> bool:
    """Whether a folder of raw records is one of ours."""
    return (folder / MEASUREMENT).is_file()


def read_measurement(folder: Path) -> MeasurementRecord:
    return _read(folder / MEASUREMENT, MeasurementRecord)


def read_runs(folder: Path) -> list[RunRecord]:
    """All runs, in the order in which they were made."""
    return sorted(_runs(folder), key=lambda run: run.started)


def _runs(folder: Path) -> Iterator[RunRecord]:
    for path in sorted(folder.glob("*.run.json")):
        if not path.is_symlink():
            yield _read(path, RunRecord)


def _read(path: Path, shape: type[T]) -> T:
    """As strictly as what strangers send."""
    try:
        if path.stat().st_size > LARGEST:
            raise GluepotError(f"{path}: more than {LARGEST // 1024**2} MB.")
        return msgspec.convert(decode_strictly(path.read_bytes()), shape)
    except (OddLineError, msgspec.ValidationError) as error:
        raise GluepotError(f"{path}: the file is broken: {str(error).rstrip('.')}.") from error


def failed_runs(runs: Sequence[RunRecord]) -> list[RunRecord]:
    return [run for run in runs if run.failure]
