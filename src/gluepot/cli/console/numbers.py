"""Numeric arguments: an invalid one is rejected, with the bounds, before anything is done."""

from argparse import ArgumentTypeError
from collections.abc import Callable

from gluepot.bounds import BOUNDS

LONGEST = 30
"""Maximum number of characters of the input that are echoed."""


def bounded_int(least: int, most: int) -> Callable[[str], int]:
    """Return a type for `add_argument`: a whole number within bounds.

    >>> bounded_int(1, 1024)("8")
    8
    >>> bounded_int(1, 1024)("0")
    Traceback (most recent call last):
    ...
    argparse.ArgumentTypeError: 0: write a whole number from 1 to 1,024
    """

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise ArgumentTypeError(f"{_short(text)}: write a whole number from {least:,} to {most:,}")
        return number

    return read


def bounded_count(name: str) -> Callable[[str], int]:
    """Return a type for `add_argument`: a whole number within the bounds declared under this name."""
    return bounded_int(*BOUNDS[name])


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def bounded_float(most: float) -> Callable[[str], float]:
    """Return a type for `add_argument`: a number from 0 to `most`, such as 2.50.

    >>> bounded_float(100)("2.50")
    2.5
    >>> bounded_float(100)("nan")
    Traceback (most recent call last):
    ...
    argparse.ArgumentTypeError: nan: write a number from 0 to 100
    """

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not 0 <= number <= most:
            raise ArgumentTypeError(f"{_short(text)}: write a number from 0 to {most:,}")
        return number

    return read
