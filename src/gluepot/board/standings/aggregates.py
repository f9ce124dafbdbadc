"""Aggregates of a system's task scores into one number; plug-ins may register more, for suites that define their own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from gluepot.records import Suite
from gluepot.registry import Registry

if TYPE_CHECKING:
    from gluepot.board.standings.score_matrix import ScoreMatrix
    from gluepot.board.standings.terms import Term

Floats = NDArray[Any]


@dataclass(frozen=True)
class Contest:
    """Input of an aggregate."""

    values: Floats
    """Values of shape (terms, complete systems)."""
    terms: "Sequence[Term]"
    competing: NDArray[np.intp]
    """Indices of the competing systems among these; only they are ranked and fight duels."""
    field: "ScoreMatrix | None" = None
    systems: NDArray[np.intp] | None = None
    """Indices of the complete systems in the field."""


@dataclass(frozen=True)
class Aggregate:
    """Aggregate with one value per system, higher being better; lower-is-better quantities are negated."""

    title: Callable[[], str]
    """Return the display name in the visitor's language."""
    of: Callable[[Contest], Floats]
    score: bool = True
    """Whether it is a score, displayed times 100; otherwise its absolute value is displayed with two decimals."""
    alone: bool = True
    """Whether a system's value depends on that system alone, so that it has bootstrap replicates."""
    fits: Callable[[Suite], bool] = lambda suite: True
    """Return whether the aggregate applies to a suite."""


AGGREGATES: Registry[Aggregate] = Registry("aggregate", plugins="gluepot.board")


def aggregates_of(suite: Suite) -> list[str]:
    """Return the names of the aggregates that apply to a suite, the mean first."""
    return sorted((name for name in AGGREGATES if AGGREGATES[name].fits(suite)), key=lambda name: (name != "mean", name))


def _mean(contest: Contest) -> Floats:
    weights = np.array([term.weight for term in contest.terms])
    return np.tensordot((weights / weights.sum()).astype(contest.values.dtype), contest.values, 1)


def _rank(contest: Contest) -> Floats:
    better = np.stack([(row[contest.competing][:, np.newaxis] > row).sum(axis=0) for row in contest.values])
    return np.asarray(-(1.0 + better.mean(axis=0)))


def _copeland(contest: Contest) -> Floats:
    """Return duels won minus duels lost as a share of all duels; winning more tasks than the opponent wins a duel."""
    values, competing = contest.values, contest.competing
    wins = np.zeros((values.shape[1], len(competing)))
    for row in values:
        wins += np.sign(row[:, np.newaxis] - row[competing])
    return np.asarray(np.sign(wins).sum(axis=1) / max(len(competing) - 1, 1))


AGGREGATES.add("mean", Aggregate(lambda: _("mean"), _mean))
AGGREGATES.add("min", Aggregate(lambda: _("worst task"), lambda contest: np.asarray(contest.values.min(axis=0))))
AGGREGATES.add("rank", Aggregate(lambda: _("mean rank"), _rank, score=False, alone=False))
AGGREGATES.add("copeland", Aggregate(lambda: _("duels won (Copeland)"), _copeland, score=False, alone=False))
