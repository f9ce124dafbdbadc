"""Cost of the answers: seconds per job, items per second, and the machine."""

from collections.abc import Sequence

from msgspec import Struct

from gluepot.reporting.systems import LoadedSystem


class JobCost(Struct, frozen=True):
    """One job of a run: learning one task with one seed and answering it and its diagnostics."""

    system: int
    job: str
    seconds: float
    items: int


def job_costs(systems: Sequence[LoadedSystem]) -> list[JobCost]:
    """Return all timed jobs, run by run."""
    return [
        JobCost(number, job, seconds, _items(system, job)) for number, system in enumerate(systems) for job, seconds in system.times.items()
    ]


def _items(system: LoadedSystem, job: str) -> int:
    """Return the number of items that a job answered; its name contains the learned task and the seed."""
    learns, _, seed = job.rpartition(" seed ")
    if system.folder is None or seed not in map(str, system.card.seeds):
        return 0
    names = [task.name for task in system.suite.tasks.values() if learns in (task.trained_on, task.name)]
    return sum(system.folder.predictions(name, split, int(seed)).count() for name in names for split in system.card.splits)
