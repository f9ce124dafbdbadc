"""Matching of positives and negatives by similarity and length, so that neither is predictive of the label."""

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import log

REACH = 300
"""Maximum number of candidate negatives on either side of a positive."""
LENGTH = 0.2
"""Maximum difference of two lengths, as absolute log ratio."""


def match_pairs(
    positives: Sequence[tuple[float, int]], negatives: Sequence[tuple[float, int]], caliper: float, rng: random.Random
) -> list[tuple[int, int]]:
    """Match each positive with a negative within the caliper and of similar length; return index pairs, each index used once.

    >>> match_pairs([(0.1, 40), (0.5, 40)], [(0.9, 40), (0.5, 41), (0.12, 39), (0.1, 90)], 0.05, random.Random(0))
    [(0, 2), (1, 1)]
    """
    left = sorted(range(len(negatives)), key=lambda place: (negatives[place], place))
    values = [negatives[place][0] for place in left]
    order = list(range(len(positives)))
    rng.shuffle(order)
    found = []
    for place in order:
        value, length = positives[place]
        low, high = bisect_left(values, value - caliper), bisect_right(values, value + caliper)
        middle = min(max(bisect_left(values, value), low), high)
        spots = range(max(low, middle - REACH), min(high, middle + REACH))
        near = [(_apart(length, negatives[left[spot]][1]), abs(values[spot] - value), spot) for spot in spots]
        if near and min(near)[0] <= LENGTH:
            spot = min(near)[2]
            values.pop(spot)
            found.append((place, left.pop(spot)))
    return sorted(found)


def _apart(one: int, other: int) -> float:
    return abs(log(max(1, one) / max(1, other)))
