"""Plan of a run: jobs, each of which learns one task with one seed and answers it and its diagnostics."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from gluepot.data.folders import available_splits, has_split, split_name
from gluepot.errors import DataMissing, WrongUse
from gluepot.models import ModelName
from gluepot.models.protocols import OWN, Protocol, Settings, find_protocol, protocol_name, resamples
from gluepot.records import Suite, Task
from gluepot.tasks.declarations import find_task


class Job(Struct, frozen=True):
    """Unit of work that a process or a machine executes on its own."""

    suite: str
    learns: str
    """Task whose training data is learned."""
    answers: tuple[str, ...]
    """Tasks that are then answered: the task itself, its diagnostics, or both."""
    split: str
    seed: int
    protocol: str = OWN
    resampled: bool = False
    """Whether the seed also selects a bootstrap of the data."""
    trial: int | None = None
    """Number of the search configuration that the job tries."""
    trials: int = 0
    """Number of trials from which the job takes the best."""
    wave: int = 0
    """Jobs of a wave depend only on earlier waves."""
    settings: Settings | None = None
    """Training settings, where a protocol specifies them: a worker need not look them up again."""
    afresh: bool = False
    """Whether to ignore a trained model cached by an earlier run."""

    @property
    def name(self) -> str:
        return f"{self.learns} seed {self.seed}" + ("" if self.trial is None else f" trial {self.trial}")

    def place(self, folder: Path) -> Path:
        """Return the folder of the job's files: a trial has its own below the run's."""
        return folder if self.trial is None else trial_folder(folder, self.learns, self.seed, self.trial)


class SkippedTask(Struct, frozen=True):
    """A task that the run omits, and the reason."""

    task: str
    reason: str


class Plan(Struct, frozen=True):
    """All jobs of a run, in the suite's order, and the tasks that it omits."""

    model: str
    suite: str
    split: str
    seeds: list[int]
    jobs: list[Job]
    skipped: list[SkippedTask]
    limit: int | None = None
    protocol: str = OWN

    @property
    def waves(self) -> "list[Plan]":
        """The plan in parts that must run in sequence."""
        numbers = sorted({job.wave for job in self.jobs})
        return [replace(self, jobs=[job for job in self.jobs if job.wave == number]) for number in numbers]


def trial_folder(folder: Path, learns: str, seed: int, trial: int) -> Path:
    return folder / "trials" / learns / f"seed-{seed}" / str(trial)


def make_plan(
    model: ModelName,
    suite: Suite,
    *,
    tasks: Sequence[str] = (),
    split: str | None = None,
    seeds: int | None = None,
    limit: int | None = None,
    protocol: str = OWN,
) -> Plan:
    """Plan some tasks of a suite, or all of them; the protocol sets the number of seeds unless `seeds` is given."""
    wanted = [find_task(suite, name).name for name in tasks] or list(suite.tasks)
    split = split or suite.score_split
    protocol = _applying(model, suite, protocol)
    skipped: list[SkippedTask] = []
    learned: dict[str, list[str]] = {}
    for name in wanted:
        task = suite.tasks[name]
        reason = _obstacle(task, split)
        if reason:
            skipped.append(SkippedTask(name, reason))
        else:
            learned.setdefault(task.trained_on or name, []).append(name)
    if not learned and skipped:
        raise DataMissing(f"{suite.name}: nothing to do. {skipped[0].task}: {skipped[0].reason}")
    protocols = {name: find_protocol(protocol, suite, suite.tasks[name]) for name in learned} if protocol != OWN else {}
    count = seeds or max((p.bootstraps or p.runs for p in protocols.values()), default=1)
    chosen = range(count if model.info.seeded else 1)
    jobs = [
        job
        for learns, answers in learned.items()
        for seed in chosen
        for job in _jobs(Job(suite.name, learns, tuple(answers), split, seed, protocol), protocols.get(learns), model.info.tuned)
    ]
    return Plan(str(model), suite.name, split, list(chosen), jobs, skipped, limit, protocol)


def _applying(model: ModelName, suite: Suite, protocol: str) -> str:
    """Return the canonical name of the protocol for a model trained by one; other models accept only bootstraps of the data."""
    if model.info.tuned:
        return protocol_name(protocol, suite)
    if protocol != OWN and not resamples(protocol, suite):
        raise WrongUse(f"{model.adapter} is not trained by a protocol: leave out --protocol {protocol}.")
    return protocol


def _jobs(job: Job, protocol: Protocol | None, tuned: bool) -> Iterator[Job]:
    """Yield the job, or the trials of a search in two waves followed by the job that takes the best."""
    if protocol is None:
        yield job
        return
    job = replace(job, resampled=bool(protocol.bootstraps), settings=protocol.settings if tuned else None)
    trials = len(protocol.configurations) if tuned else 0
    for number in range(trials):
        yield replace(job, trial=number, wave=wave_of(number, trials), settings=protocol.configurations[number])
    yield replace(job, trials=trials, wave=2 if trials else 0)


def wave_of(trial: int, trials: int) -> int:
    """Return the wave of a trial: alternating, shifted by one per row of two, so that the first has each learning rate and batch size.

    >>> [wave_of(number, 8) for number in range(8)]
    [0, 1, 1, 0, 0, 1, 1, 0]
    """
    return (trial // 2 + trial) % 2


def _obstacle(task: Task, split: str) -> str | None:
    try:
        split_name(task, split)
    except WrongUse as error:
        return str(error)
    if has_split(task, split):
        return None
    here = ", ".join(available_splits(task)) or "none"
    return f"the {split} split is not here (splits here: {here}). Get it with `gluepot data fetch {task.suite}`."
