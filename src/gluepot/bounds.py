"""Bounds of integer options, shared by the command line and the library."""

from typing import NamedTuple

from gluepot.errors import WrongUse

MANY = 10**9


class CountBounds(NamedTuple):
    """Inclusive bounds of a count."""

    least: int
    most: int


BOUNDS = {"jobs": CountBounds(1, 1024), "seeds": CountBounds(1, 1000), "resamples": CountBounds(2, 100_000), "limit": CountBounds(1, MANY)}


def check_counts(**counts: int | None) -> None:
    """Raise `WrongUse` for a count that is out of bounds or not an integer; None means that it is not set.

    >>> check_counts(seeds=3, limit=None)
    >>> check_counts(seeds=-1)
    Traceback (most recent call last):
    ...
    gluepot.errors.WrongUse: seeds=-1: give a whole number from 1 to 1,000
    """
    for name, count in counts.items():
        least, most = BOUNDS[name]
        if count is not None and (not isinstance(count, int) or isinstance(count, bool) or not least <= count <= most):
            raise WrongUse(f"{name}={count!r}: give a whole number from {least:,} to {most:,}")
