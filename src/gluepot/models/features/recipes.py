"""What turns a task's examples into rows of features: the items that are judged, their terms and their numbers."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gluepot.models.features.matrix import Floats, Item, Matrix, NumberScaler, TermChannel, Terms, stack
from gluepot.records import Example

OFTEN = 20
"""How often a value must come back, on average, for terms of its own."""


class Recipe(ABC):
    """Features of one kind of task. An example is one item, or several: its options, its tokens, its candidate spans."""

    weight = 0.5
    """How much a standard deviation of a number counts beside a row of terms, whose length is 1."""
    plain = False
    """Whether terms are only there or not."""

    @abstractmethod
    def channels(self) -> Mapping[str, Terms]:
        """The sorts of terms, each with a vocabulary of its own."""

    def learn(self, examples: Sequence[Example]) -> None:  # noqa: B027  most have no need to
        """Look at the training examples before anything is counted."""

    @abstractmethod
    def items(self, example: Example) -> list[Item]:
        """What is judged in an example."""

    def lessons(self, example: Example) -> list[tuple[Item, Any]]:
        """Items with what should be said of them."""
        return [(item, example.target) for item in self.items(example)]

    def numbers(self, items: Sequence[Item]) -> Floats | None:
        """Features that are no terms, one row an item."""
        return None


class Encoder:
    """Rows of a recipe: its channels and its numbers side by side."""

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
    """Whether the same few values come back again and again, as topics do and sentences do not.

    >>> recurring(["abort", "kloning"] * 30), recurring(["one", "two", "three"])
    (True, False)
    """
    counts = Counter(values)
    return bool(counts) and counts.total() / len(counts) >= OFTEN
