"""Votes as arrays of units, raters and values, with counts of values per unit."""

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gluepot.metrics.sample import Floats, Ints, encode

DENSE = 5_000_000
"""Cells up to which the table of counts is a dense array."""


class UnitVotes:
    """Votes on units. `scale` maps each value to a number, if values are numbers or ordered.

    >>> votes = UnitVotes.of([("x", "ann", "yes"), ("x", "bo", "no"), ("y", "ann", "yes")])
    >>> votes.units, votes.raters, votes.pairable.tolist()
    (2, 2, [True, False])
    """

    def __init__(self, unit: Ints, rater: Ints, value: Ints, values: Sequence[Any], scale: Floats | None = None) -> None:
        self.unit, self.rater, self.value, self.values, self.scale = unit, rater, value, list(values), scale
        self.units, self.raters = int(unit.max(initial=-1)) + 1, int(rater.max(initial=-1)) + 1

    @classmethod
    def of(cls, votes: Iterable[tuple[Hashable, Hashable, Hashable]], scale: Sequence[Any] = ()) -> "UnitVotes":
        """Create from (unit, rater, value); numbers are their own scale, other values take their position in `scale`."""
        rows = list(votes)
        columns = list(zip(*rows, strict=True)) if rows else [(), (), ()]
        _, (unit,) = encode(columns[0])
        _, (rater,) = encode(columns[1])
        values, (value,) = encode(columns[2])
        return cls(unit, rater, value, values, scale_of(values, scale))

    @classmethod
    def of_table(cls, ratings: Floats) -> "UnitVotes":
        """Create from numbers, with one row per unit and one column per rater, NaN for missing votes."""
        units, raters = np.nonzero(~np.isnan(ratings))
        values, codes = np.unique(ratings[units, raters], return_inverse=True)
        return cls(units, raters, codes, values.tolist(), values)

    @cached_property
    def sizes(self) -> Floats:
        """Number of votes per unit."""
        return np.bincount(self.unit, minlength=self.units).astype(float)

    @property
    def pairable(self) -> NDArray[np.bool_]:
        """Mask of the units with two or more votes."""
        return self.sizes > 1

    @cached_property
    def counts(self) -> Any:
        """Counts of each value per unit, (units, values); sparse if there are very many cells."""
        shape = self.units, len(self.values)
        if shape[0] * shape[1] > DENSE:
            from scipy.sparse import csr_array

            return csr_array((np.ones(len(self.unit)), (self.unit, self.value)), shape=shape)
        cells = np.bincount(self.unit * shape[1] + self.value, minlength=shape[0] * shape[1])
        return cells.reshape(shape).astype(float)

    def totals(self, weights: Floats) -> Floats:
        """Compute the weighted counts of each value, for every weighting of the units, (weightings, values)."""
        found: Floats = np.asarray(self.counts.T @ weights.T).T
        return found

    def squares(self) -> Floats:
        """Compute the sum over values of the squared counts of each unit."""
        counts = self.counts
        if isinstance(counts, np.ndarray):
            return np.einsum("uc,uc->u", counts, counts)
        return np.asarray(counts.multiply(counts).sum(axis=1)).ravel()

    def without_singles(self) -> "UnitVotes":
        """Return the votes on units with two or more, with units renumbered."""
        kept = self.pairable[self.unit]
        units, unit = np.unique(self.unit[kept], return_inverse=True)
        part = UnitVotes(unit, self.rater[kept], self.value[kept], self.values, self.scale)
        part.units, part.raters = len(units), self.raters
        return part

    def subset(self, kept: NDArray[np.bool_]) -> "UnitVotes":
        """Return a subset of the votes, with the numbering of units, raters and values unchanged."""
        part = UnitVotes(self.unit[kept], self.rater[kept], self.value[kept], self.values, self.scale)
        part.units, part.raters = self.units, self.raters
        return part


def scale_of(values: Sequence[Any], order: Sequence[Any] = ()) -> Floats | None:
    """Return the number of each value: its own, or its position in the order; None if there is neither.

    >>> scale_of([3, 1.5]).tolist(), scale_of(["low", "high"], ["low", "mid", "high"]).tolist(), scale_of(["a"])
    ([3.0, 1.5], [1.0, 3.0], None)
    """
    if order and all(value in order for value in values):
        return np.array([order.index(value) + 1 for value in values], float)
    if values and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.array(values, float)
    return None
