"""Measurement of one model on one task: rounds of runs of growing length, one after the other, until they agree."""

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from gluepot.efficiency.figures import Figures
from gluepot.efficiency.figures.own_figures import own_figures
from gluepot.efficiency.figures.slope import estimate_slope, group_by_round
from gluepot.efficiency.figures.timings import BATCH, RECORDS, REPEATS, UNSTABLE
from gluepot.efficiency.hardware import HardwareProfile
from gluepot.efficiency.measurement.energy import joules_between, read_counters
from gluepot.efficiency.measurement.latency import measure_latency
from gluepot.efficiency.measurement.questions import TimedQuestions, score_answers
from gluepot.efficiency.run_records import (
    MEASUREMENT,
    PREDICTIONS,
    MeasurementRecord,
    RunRecord,
    is_measurement,
    read_runs,
    run_record,
    save,
    save_run,
)
from gluepot.errors import GluepotError
from gluepot.programs.execution import OFTEN, SELDOM, Execution, Program
from gluepot.records import Suite, Task
from gluepot.runs.storage.manifest import Identity

MOST_ROUNDS = 2
"""Limit on rounds, as a multiple of the requested ones, before a result is unstable."""
ENOUGH = 1.0
"""Minimum seconds between the first and the last answer of the longest run; a program that is faster gets more records."""
MOST_RECORDS = 200_000
PATIENCE = 120.0
"""Seconds for a program to start and answer a first batch, before it gets the rest anyway."""
ProgramMaker = Callable[[int], Program]
"""Function from a batch size to the program to be started."""
Say = Callable[[str], None]


@dataclass(frozen=True)
class MeasureRequest:
    """A measurement to be made: its subject, its settings, and the folder of its records."""

    model: str
    suite: Suite
    task: Task
    split: str
    program: ProgramMaker
    questions: TimedQuestions
    folder: Path
    profile: HardwareProfile
    records: int = RECORDS
    batch: int = BATCH
    repeats: int = REPEATS
    price: float | None = None
    sandbox: str = ""
    learned_each_time: bool = False
    identity: Identity | None = None
    say: Say = field(default=lambda line: None)

    def sizes(self, seconds: float) -> list[int]:
        """Return a quarter, a half and all of the records; more than requested if those took only `seconds`: short times tell little."""
        longest = min(MOST_RECORDS, self.records * max(1, round(ENOUGH / max(seconds, ENOUGH / 1000))))
        return sorted({*(max(2, longest // part) for part in (4, 2, 1)), self.records})


class ProgramFailed(GluepotError):
    """A run that is no measurement: the program exceeded a limit, failed or did not answer."""

    def __init__(self, run: RunRecord) -> None:
        super().__init__(run.failure)
        self.run = run


def measure(request: MeasureRequest) -> Figures:
    """Make the runs, store their records, and compute the figures from them."""
    folder = request.folder
    _clear(folder)
    record = _record(request)
    save(folder, MEASUREMENT, record)
    try:
        _make_rounds(request)
        latencies, why = measure_latency(dataclasses.replace(request.program(1), pace=SELDOM), request.questions, _longest_start(folder))
        record = replace(record, latencies=latencies, no_latency=why)
    except ProgramFailed as error:
        record = replace(record, failure=error.run.failure, breach=error.run.breach)
    if not record.failure:
        save(folder, PREDICTIONS, request.questions.first)
        record = replace(record, quality=score_answers(request.suite, request.questions, request.split))
    save(folder, MEASUREMENT, record)
    return own_figures(folder)


def _record(request: MeasureRequest) -> MeasurementRecord:
    return MeasurementRecord(
        model=request.model,
        suite=request.suite.name,
        version=request.suite.version,
        task=request.task.name,
        split=request.split,
        items=len(request.questions.examples),
        records=request.records,
        batch=request.batch,
        repeats=request.repeats,
        seed=request.questions.seed,
        profile=request.profile,
        sandbox=request.sandbox,
        price=request.price,
        learned_each_time=request.learned_each_time,
        identity=request.identity,
    )


def _make_rounds(request: MeasureRequest) -> None:
    """Make the requested number of rounds; more, while the last ones differ too much."""
    tried = _run_once(request, request.records, request.batch, 0, PATIENCE)
    if tried.failure:
        raise ProgramFailed(tried)
    patience = None if tried.ready is None else 3600.0
    sizes = request.sizes(ENOUGH if tried.ready is None else (tried.last or 0.0) - tried.ready)
    for number in range(1, MOST_ROUNDS * request.repeats + 1):
        for size, batch in [(1, 1), *((size, request.batch) for size in sizes)]:
            run = _run_once(request, size, batch, number, patience)
            if run.failure:
                raise ProgramFailed(run)
        slope = estimate_slope(group_by_round(read_runs(request.folder), request.batch, request.repeats), request.model, request.task.name)
        rate = f"{slope.value:,.1f}/s so far" if slope else "no slope yet"
        spread = f", rounds differ by {slope.spread:.2f}×" if slope and slope.rounds > 1 else ""
        request.say(f"{request.task.name}: round {number} of {request.repeats}: {rate}{spread}, {run.ram / 1024**3:.2f} GiB")
        if number >= request.repeats and slope is not None and slope.spread <= UNSTABLE:
            return


def _run_once(request: MeasureRequest, size: int, batch: int, number: int, patience: float | None) -> RunRecord:
    """Make one run: memory is sampled often if there is a single record, rarely if time is measured.

    The rest is sent once a first batch is answered and the program thus ready, or after `patience` seconds.
    """
    program = dataclasses.replace(request.program(batch), pace=OFTEN if size == 1 else SELDOM)
    lines, ready = request.questions.lines(size), None
    before, started = read_counters(), time.time()
    with Execution(program) as execution:
        if patience is not None and size > batch:
            ready = execution.feed_after_answers(lines, batch, patience)
        else:
            execution.feed(b"".join(lines))
        outcome = execution.wait()
    joules = joules_between(before, read_counters())
    failure = outcome.failure(program) or request.questions.check(outcome.output, size)
    run = run_record(outcome, size, batch, number, started, failure, joules, ready)
    save_run(request.folder, run, outcome)
    return run


def _longest_start(folder: Path) -> float:
    return max((run.seconds for run in read_runs(folder) if run.records == 1), default=1.0)


def _clear(folder: Path) -> None:
    """Remove the files of an earlier measurement; refuse a folder with contents but no measurement."""
    if folder.is_dir() and any(folder.iterdir()) and not is_measurement(folder):
        raise GluepotError(f"{folder}: there is something else than a measurement of ours. Name another folder with --out.")
    for path in folder.iterdir() if folder.is_dir() else []:
        if path.is_file() and (path.name in (MEASUREMENT, PREDICTIONS) or path.name.endswith((".run.json", ".jsonl"))):
            path.unlink()
