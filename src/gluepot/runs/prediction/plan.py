"""What a run will do: jobs, each of which learns one task with one seed and answers it and its diagnostics."""

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
    """One piece of work that a process or a machine does on its own."""

    suite: str
    learns: str
    """The task whose training data is learned."""
    answers: tuple[str, ...]
    """The tasks that are then answered: itself, its diagnostics, or both."""
    split: str
    seed: int
    protocol: str = OWN
    resampled: bool = False
    """Whether the seed names a bootstrap of the data too."""
    trial: int | None = None
    """Which configuration of a search it tries."""
    trials: int = 0
    """From how many trials it takes the best."""
    wave: int = 0
    """Jobs of a wave hang on nothing but earlier waves."""
    settings: Settings | None = None
    """How the model is trained, where a protocol says it: who does the job need not look it up again."""
    afresh: bool = False
    """Whether a model that an earlier run kept is not taken."""

    @property
    def name(self) -> str:
        return f"{self.learns} seed {self.seed}" + ("" if self.trial is None else f" trial {self.trial}")

    def place(self, folder: Path) -> Path:
        """Where it keeps its files: a trial in a folder of its own below the run's."""
        return folder if self.trial is None else trial_folder(folder, self.learns, self.seed, self.trial)


class SkippedTask(Struct, frozen=True):
    """A task that the run leaves out, and why."""

    task: str
    reason: str


class Plan(Struct, frozen=True):
    """All jobs of a run, in the suite's order, and what is left out."""

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
        """The plan in parts that must follow each other."""
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
    """The plan for some tasks of a suite, or for all of them; the protocol says how many seeds if nobody else does."""
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
    """The protocol by its own name, for models that are trained by one; bootstraps of the data are for all."""
    if model.info.tuned:
        return protocol_name(protocol, suite)
    if protocol != OWN and not resamples(protocol, suite):
        raise WrongUse(f"{model.adapter} is not trained by a protocol: leave out --protocol {protocol}.")
    return protocol


def _jobs(job: Job, protocol: Protocol | None, tuned: bool) -> Iterator[Job]:
    """A job, or the trials of a search in two waves and the job that takes the best."""
    if protocol is None:
        yield job
        return
    job = replace(job, resampled=bool(protocol.bootstraps), settings=protocol.settings if tuned else None)
    trials = len(protocol.configurations) if tuned else 0
    for number in range(trials):
        yield replace(job, trial=number, wave=wave_of(number, trials), settings=protocol.configurations[number])
    yield replace(job, trials=trials, wave=2 if trials else 0)


def wave_of(trial: int, trials: int) -> int:
    """Every other configuration comes first, shifted by one a row of two: each learning rate and each batch size is then among them.

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
