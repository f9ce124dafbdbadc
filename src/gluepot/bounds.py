"""How many of something may be asked for, at the prompt and in a program alike."""

from typing import NamedTuple

from gluepot.errors import WrongUse

MANY = 10**9


class CountBounds(NamedTuple):
    """The least and the most of something that is counted."""

    least: int
    most: int


BOUNDS = {"jobs": CountBounds(1, 1024), "seeds": CountBounds(1, 1000), "resamples": CountBounds(2, 100_000), "limit": CountBounds(1, MANY)}


def check_counts(**counts: int | None) -> None:
    """Refuses what no such count can be; None is a count that nobody gave.

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
