"""Ways to make one number of a system's tasks. Plug-ins register further ones, for suites that have a number of their own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from gluepot.records import Suite
from gluepot.registry import Registry

if TYPE_CHECKING:
    from gluepot.board.standings.score_matrix import Field
    from gluepot.board.standings.terms import Term

Floats = NDArray[Any]


@dataclass(frozen=True)
class Contest:
    """What an overall number is made from."""

    values: Floats
    """(terms, complete systems)."""
    terms: "Sequence[Term]"
    competing: NDArray[np.intp]
    """Which of these systems compete: ranks and duels are theirs."""
    field: "Field | None" = None
    systems: NDArray[np.intp] | None = None
    """Where the complete systems are in the field."""


@dataclass(frozen=True)
class Aggregate:
    """One number a system, the higher the better: what is better when lower is kept negative."""

    title: Callable[[], str]
    """What people call it, in the visitor's language."""
    of: Callable[[Contest], Floats]
    score: bool = True
    """Whether it is a score, shown times a hundred; otherwise its size is shown with two digits."""
    alone: bool = True
    """Whether a system's number depends on itself alone, so that it has resamples."""
    fits: Callable[[Suite], bool] = lambda suite: True
    """Whether a suite has it."""


AGGREGATES: Registry[Aggregate] = Registry("aggregate", plugins="gluepot.board")


def aggregates_of(suite: Suite) -> list[str]:
    """The names of those that a suite has, the mean first."""
    return sorted((name for name in AGGREGATES if AGGREGATES[name].fits(suite)), key=lambda name: (name != "mean", name))


def _mean(contest: Contest) -> Floats:
    weights = np.array([term.weight for term in contest.terms])
    return np.tensordot((weights / weights.sum()).astype(contest.values.dtype), contest.values, 1)


def _rank(contest: Contest) -> Floats:
    better = np.stack([(row[contest.competing][:, np.newaxis] > row).sum(axis=0) for row in contest.values])
    return np.asarray(-(1.0 + better.mean(axis=0)))


def _copeland(contest: Contest) -> Floats:
    """Duels won less duels lost, as a share; a duel is won on more tasks."""
    values, competing = contest.values, contest.competing
    wins = np.zeros((values.shape[1], len(competing)))
    for row in values:
        wins += np.sign(row[:, np.newaxis] - row[competing])
    return np.asarray(np.sign(wins).sum(axis=1) / max(len(competing) - 1, 1))


AGGREGATES.add("mean", Aggregate(lambda: _("mean"), _mean))
AGGREGATES.add("min", Aggregate(lambda: _("worst task"), lambda contest: np.asarray(contest.values.min(axis=0))))
AGGREGATES.add("rank", Aggregate(lambda: _("mean rank"), _rank, score=False, alone=False))
AGGREGATES.add("copeland", Aggregate(lambda: _("duels won (Copeland)"), _copeland, score=False, alone=False))
