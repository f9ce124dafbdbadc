"""Pruning of search trials by Optuna's median rule, from trials that are read from files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

LOOKS = 2
"""Evaluations on development data before a trial may be pruned."""


@dataclass(frozen=True)
class FinishedTrial:
    """A finished trial: its value at each evaluation, and its best."""

    values: list[float]
    best: float


def make_watch(before: Sequence[FinishedTrial], name: str) -> Callable[[int, float], bool] | None:
    """Return a callback that takes each evaluation's value and returns whether to stop: below the median of other trials at that point.

    The study is rebuilt from the files whenever it is needed: a killed search loses nothing, and needs no database.
    """
    if len(before) < 2:
        return None
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    pruner = optuna.pruners.MedianPruner(n_startup_trials=2, n_warmup_steps=LOOKS - 1)
    study = optuna.create_study(direction="maximize", pruner=pruner, study_name=name)
    for trial in before:
        known = {number: value for number, value in enumerate(trial.values) if value > float("-inf")}
        study.add_trial(optuna.trial.create_trial(value=trial.best, intermediate_values=known))
    current = study.ask()

    def watch(look: int, value: float) -> bool:
        current.report(value, look - 1)
        return bool(current.should_prune())

    return watch
