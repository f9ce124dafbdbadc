"""Numbers at the prompt: what is none, or out of bounds, is told with the bounds before anything is done."""

from argparse import ArgumentTypeError
from collections.abc import Callable
from math import isfinite

JOBS = 1024
SEEDS = 1000
RESAMPLES = 100_000
MANY = 10**9
YEAR = 366 * 24 * 3600
LONGEST = 30
"""Characters of what somebody wrote that are said back."""


def whole(least: int, most: int) -> Callable[[str], int]:
    """A type for `add_argument`: a whole number within bounds.

    >>> whole(1, 1024)("8")
    8
    >>> whole(1, 1024)("0")
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


def amount(text: str) -> float:
    """A type for `add_argument`: an amount of money, not below zero."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if number < 0 or not isfinite(number):
        raise ArgumentTypeError(f"{_short(text)}: write an amount, as 2.50")
    return number


def prices(text: str) -> str:
    """A type for `add_argument`: what a million tokens cost, in and out; as it was written, if it can be read."""
    from gluepot.errors import WrongUse
    from gluepot.models.api.spending import read_prices

    try:
        read_prices(text)
    except WrongUse:
        raise ArgumentTypeError(f"{_short(text)}: write what a million tokens cost, in and out, as 0.15,0.60") from None
    return text


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
