"""Conversion of a task's examples into feature rows: items, their terms and their numbers."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gluepot.models.features.matrix import Floats, Item, Matrix, NumberScaler, TermChannel, Terms, stack
from gluepot.records import Example

OFTEN = 20
"""Mean frequency from which values are recurring and get terms of their own."""


class Recipe(ABC):
    """Features of one task kind. An example has one item or several: its options, tokens or candidate spans."""

    weight = 0.5
    """Weight of a standard deviation of a number relative to a row of terms, whose norm is 1."""
    plain = False
    """Whether terms are binary."""

    @abstractmethod
    def channels(self) -> Mapping[str, Terms]:
        """Return the term functions by name, each with its own vocabulary."""

    def learn(self, examples: Sequence[Example]) -> None:  # noqa: B027  most have no need to
        """Fit the recipe to the training examples, before terms are counted."""

    @abstractmethod
    def items(self, example: Example) -> list[Item]:
        """Return the items of an example."""

    def lessons(self, example: Example) -> list[tuple[Item, Any]]:
        """Return the items of an example with their targets."""
        return [(item, example.target) for item in self.items(example)]

    def numbers(self, items: Sequence[Item]) -> Floats | None:
        """Return the numeric features, one row per item, or None."""
        return None


class Encoder:
    """Encoder of items into rows of a recipe's term channels and numbers."""

    def __init__(self, recipe: Recipe, cap: int) -> None:
        self.recipe = recipe
        self.channels = [TermChannel(terms, cap, recipe.plain) for terms in recipe.channels().values()]
        self.scale = NumberScaler(recipe.weight)

    def fit(self, items: Sequence[Item]) -> Matrix:
        parts = [channel.fit(items) for channel in self.channels]
        numbers = self.recipe.numbers(items)
        return stack(parts if numbers is None else [*parts, self.scale.fit(numbers)])

    def transform(self, items: Sequence[Item]) -> Matrix:
        parts = [channel.transform(items) for channel in self.channels]
        numbers = self.recipe.numbers(items)
        return stack(parts if numbers is None else [*parts, self.scale.transform(numbers)])


def recurring(values: Iterable[str]) -> bool:
    """Whether values recur frequently, like topics and unlike sentences.

    >>> recurring(["abort", "kloning"] * 30), recurring(["one", "two", "three"])
    (True, False)
    """
    counts = Counter(values)
    return bool(counts) and counts.total() / len(counts) >= OFTEN
