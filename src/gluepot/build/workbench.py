"""Workbench of a maker: inputs, options, a random generator, counts after every filter, and faults of the inputs."""

import gc
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gluepot.data.scaffolding.splitting import DEFAULT_SHARES
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize

T = TypeVar("T")
MOST = 20
"""Maximum number of input faults listed; the rest are only counted."""


class Workbench:
    """Context passed to a maker; what it records here appears in the sheet, the report and the JSON output."""

    def __init__(
        self, inputs: Sequence[Path], options: dict[str, Any], seed: int, say: Callable[[str], None] = lambda _: None, language: str = "und"
    ) -> None:
        self.inputs, self.options, self.seed, self.say = inputs, options, seed, say
        self.language = language
        self.shares: Mapping[str, float] = DEFAULT_SHARES
        self.filters: list[tuple[str, int]] = []
        self.notes: list[str] = []
        self.faults: list[str] = []

    def __getitem__(self, name: str) -> Any:
        """Return an option by name."""
        return self.options[name]

    @property
    def rng(self) -> random.Random:
        """A newly seeded generator, so that the draws of one step do not depend on those of another."""
        return random.Random(self.seed)

    def count(self, name: str, left: int) -> None:
        """Record the number of items left after a step."""
        self.filters.append((name, left))

    def filter(self, name: str, things: Iterable[T], wanted: Callable[[T], object]) -> list[T]:
        """Filter items and record how many are left."""
        left = [thing for thing in things if wanted(thing)]
        self.count(name, len(left))
        return left

    def note(self, sentence: str) -> None:
        """Record a remark on the result for users."""
        self.notes.append(sentence)

    def fault(self, path: Path | str, line: int | None, sentence: str) -> None:
        """Record a fault of an input; `check` reports all of them together."""
        self.faults.append(f"{path}:{line}: {sentence}" if line else f"{path}: {sentence}")

    def check(self) -> None:
        """Raise WrongUse if any input has a fault, before anything is written."""
        if self.faults:
            head = f"{pluralize(len(self.faults), 'fault')} in the input; nothing was written."
            more = [f"… and {len(self.faults) - MOST:,} more"] if len(self.faults) > MOST else []
            raise WrongUse("\n  ".join([head, *self.faults[:MOST], *more]))

    def need(self, things: Sequence[Any], what: str) -> None:
        """Raise WrongUse if there is nothing left to make a task of."""
        if not things:
            steps = "; ".join(f"{name} {left:,}" for name, left in self.filters)
            raise WrongUse(f"no {what} left. {'After each filter: ' + steps + '.' if steps else ''}".rstrip())


def sample(count: int, size: int, seed: int) -> list[int]:
    """Return the indices that pandas' `df.sample(n=size, random_state=seed)` takes from `count` rows, in its order.

    >>> sample(10, 3, 4242) == sample(10, 10, 4242)[:3]
    True
    """
    return np.random.RandomState(seed).permutation(count)[:size].tolist()  # type: ignore[no-any-return]


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Disable cyclic garbage collection, which is expensive while millions of small objects are created and retained."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
