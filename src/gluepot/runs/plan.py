"""What a run will do: jobs, each of which learns one task with one seed and answers it and its diagnostics."""

from collections.abc import Sequence

from msgspec import Struct

from gluepot.data.folders import available_splits, has_split, split_name
from gluepot.errors import DataMissing, WrongUse
from gluepot.models import ADAPTERS, ModelName
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

    @property
    def name(self) -> str:
        return f"{self.learns} seed {self.seed}"


class Skipped(Struct, frozen=True):
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
    skipped: list[Skipped]
    limit: int | None = None


def make_plan(
    model: ModelName, suite: Suite, *, tasks: Sequence[str] = (), split: str | None = None, seeds: int = 1, limit: int | None = None
) -> Plan:
    """The plan for some tasks of a suite, or for all of them."""
    wanted = [find_task(suite, name).name for name in tasks] or list(suite.tasks)
    split = split or suite.score_split
    chosen = range(seeds if ADAPTERS[model.adapter].seeded else 1)
    skipped: list[Skipped] = []
    learned: dict[str, list[str]] = {}
    for name in wanted:
        task = suite.tasks[name]
        reason = _obstacle(task, split)
        if reason:
            skipped.append(Skipped(name, reason))
        else:
            learned.setdefault(task.trained_on or name, []).append(name)
    jobs = [Job(suite.name, learns, tuple(answers), split, seed) for learns, answers in learned.items() for seed in chosen]
    if not jobs and skipped:
        raise DataMissing(f"{suite.name}: nothing to do. {skipped[0].task}: {skipped[0].reason}")
    return Plan(str(model), suite.name, split, list(chosen), jobs, skipped, limit)


def _obstacle(task: Task, split: str) -> str | None:
    try:
        split_name(task, split)
    except WrongUse as error:
        return str(error)
    if has_split(task, split):
        return None
    here = ", ".join(available_splits(task)) or "none"
    return f"the {split} split is not here (splits here: {here}). Get it with `gluepot data fetch {task.suite}`."
