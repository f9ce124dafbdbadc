"""Votes as arrays: which rater gave which value to which unit, and how often each value was given to each unit."""

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gluepot.metrics.sample import Floats, Ints, encode

DENSE = 5_000_000
"""Cells up to which the table of counts is a plain array."""


class UnitVotes:
    """Votes on units. `scale` gives each value its number, where values are numbers or stand in an order.

    >>> votes = UnitVotes.of([("x", "ann", "yes"), ("x", "bo", "no"), ("y", "ann", "yes")])
    >>> votes.units, votes.raters, votes.pairable.tolist()
    (2, 2, [True, False])
    """

    def __init__(self, unit: Ints, rater: Ints, value: Ints, values: Sequence[Any], scale: Floats | None = None) -> None:
        self.unit, self.rater, self.value, self.values, self.scale = unit, rater, value, list(values), scale
        self.units, self.raters = int(unit.max(initial=-1)) + 1, int(rater.max(initial=-1)) + 1

    @classmethod
    def of(cls, votes: Iterable[tuple[Hashable, Hashable, Hashable]], scale: Sequence[Any] = ()) -> "UnitVotes":
        """From (unit, rater, value); numbers are a scale by themselves, other values are one in the order of `scale`."""
        rows = list(votes)
        columns = list(zip(*rows, strict=True)) if rows else [(), (), ()]
        _, (unit,) = encode(columns[0])
        _, (rater,) = encode(columns[1])
        values, (value,) = encode(columns[2])
        return cls(unit, rater, value, values, scale_of(values, scale))

    @classmethod
    def of_table(cls, ratings: Floats) -> "UnitVotes":
        """From numbers, a row a unit and a column a rater, NaN where there is none."""
        units, raters = np.nonzero(~np.isnan(ratings))
        values, codes = np.unique(ratings[units, raters], return_inverse=True)
        return cls(units, raters, codes, values.tolist(), values)

    @cached_property
    def sizes(self) -> Floats:
        """Votes a unit."""
        return np.bincount(self.unit, minlength=self.units).astype(float)

    @property
    def pairable(self) -> NDArray[np.bool_]:
        """Whether a unit has two votes or more."""
        return self.sizes > 1

    @cached_property
    def counts(self) -> Any:
        """How often each value was given to each unit, (units, values); sparse where there are very many."""
        shape = self.units, len(self.values)
        if shape[0] * shape[1] > DENSE:
            from scipy.sparse import csr_array

            return csr_array((np.ones(len(self.unit)), (self.unit, self.value)), shape=shape)
        cells = np.bincount(self.unit * shape[1] + self.value, minlength=shape[0] * shape[1])
        return cells.reshape(shape).astype(float)

    def totals(self, weights: Floats) -> Floats:
        """How often each value was given, for every weighting of the units, (weightings, values)."""
        found: Floats = np.asarray(self.counts.T @ weights.T).T
        return found

    def squares(self) -> Floats:
        """The sum over values of the squared counts of each unit."""
        counts = self.counts
        if isinstance(counts, np.ndarray):
            return np.einsum("uc,uc->u", counts, counts)
        return np.asarray(counts.multiply(counts).sum(axis=1)).ravel()

    def without_singles(self) -> "UnitVotes":
        """The units with two votes or more, numbered anew."""
        kept = self.pairable[self.unit]
        units, unit = np.unique(self.unit[kept], return_inverse=True)
        part = UnitVotes(unit, self.rater[kept], self.value[kept], self.values, self.scale)
        part.units, part.raters = len(units), self.raters
        return part

    def keep(self, kept: NDArray[np.bool_]) -> "UnitVotes":
        """Some of the votes, units, raters and values numbered as before."""
        part = UnitVotes(self.unit[kept], self.rater[kept], self.value[kept], self.values, self.scale)
        part.units, part.raters = self.units, self.raters
        return part


def scale_of(values: Sequence[Any], order: Sequence[Any] = ()) -> Floats | None:
    """The number of each value: its own, or its place in the order; None where there is neither.

    >>> scale_of([3, 1.5]).tolist(), scale_of(["low", "high"], ["low", "mid", "high"]).tolist(), scale_of(["a"])
    ([3.0, 1.5], [1.0, 3.0], None)
    """
    if order and all(value in order for value in values):
        return np.array([order.index(value) + 1 for value in values], float)
    if values and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.array(values, float)
    return None
