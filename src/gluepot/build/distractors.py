"""Selection of distractors without cues: balanced in position, and in length as if the correct option were any of them."""

import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

TRIES = 30
"""Draws per wanted option before the length window is widened."""
WIDENED = 6


@dataclass(frozen=True)
class Candidates:
    """Possible distractors, sorted by length."""

    texts: Sequence[str]
    lengths: Sequence[int]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Candidates":
        ordered = sorted(dict.fromkeys(texts), key=lambda text: (len(text), text))
        return cls(ordered, [len(text) for text in ordered])

    def draw_similar(self, length: int, count: int, fits: Callable[[str], bool], rng: random.Random) -> list[str] | None:
        """Draw `count` fitting options from a length window that holds the correct one at a random position; None if there are too few.

        Were the window centred on the correct option's length, the correct option would too often be the one of middle length.
        """
        width = max(2.0, 0.3 * length)
        shift = rng.uniform(-1, 1)
        for _ in range(WIDENED):
            low = bisect_left(self.lengths, length + (shift - 1) * width)
            high = bisect_right(self.lengths, length + (shift + 1) * width)
            if found := self._draw(range(low, high), count, fits, rng):
                return found
            width *= 1.5
        return self._draw(range(len(self.texts)), count, fits, rng)

    def _draw(self, places: range, count: int, fits: Callable[[str], bool], rng: random.Random) -> list[str] | None:
        found: dict[str, None] = {}
        if len(places) >= count:
            for _ in range(TRIES * count):
                if len(found) == count:
                    return list(found)
                text = self.texts[rng.choice(places)]
                if text not in found and fits(text):
                    found[text] = None
        return list(found) if len(found) == count else None


def balanced_positions(count: int, values: int, rng: random.Random) -> list[int]:
    """Return `count` numbers below `values`, each as often as any other, in random order.

    >>> sorted(balanced_positions(5, 2, random.Random(0)))
    [0, 0, 0, 1, 1]
    """
    numbers = [number % values for number in range(count)]
    rng.shuffle(numbers)
    return numbers


def insert_option(right: str, wrong: Sequence[str], place: int) -> list[str]:
    """Return the options with the correct one inserted at an index.

    >>> insert_option("a", ["b", "c"], 1)
    ['b', 'a', 'c']
    """
    return [*wrong[:place], right, *wrong[place:]]
