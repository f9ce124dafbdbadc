"""Where a maker works: its inputs and options, a generator of its own, the count after every filter, what is wrong with the inputs."""

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
"""Faults of the inputs that are listed; the others are counted."""


class Workbench:
    """Handed to a maker; what it notes here ends in the sheet, the report and the JSON."""

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
        """An option by its name."""
        return self.options[name]

    @property
    def rng(self) -> random.Random:
        """A fresh generator: what one step draws does not depend on what another one drew."""
        return random.Random(self.seed)

    def count(self, name: str, left: int) -> None:
        """How many are left after a step."""
        self.filters.append((name, left))

    def keep(self, name: str, things: Iterable[T], wanted: Callable[[T], object]) -> list[T]:
        """A filter, counted."""
        left = [thing for thing in things if wanted(thing)]
        self.count(name, len(left))
        return left

    def note(self, sentence: str) -> None:
        """Something that people should know of the result."""
        self.notes.append(sentence)

    def fault(self, path: Path | str, line: int | None, sentence: str) -> None:
        """Something wrong with an input; all of them are told together by `check`."""
        self.faults.append(f"{path}:{line}: {sentence}" if line else f"{path}: {sentence}")

    def check(self) -> None:
        """Stop here if an input has a fault: before anything is written."""
        if self.faults:
            head = f"{pluralize(len(self.faults), 'fault')} in the input; nothing was written."
            more = [f"… and {len(self.faults) - MOST:,} more"] if len(self.faults) > MOST else []
            raise WrongUse("\n  ".join([head, *self.faults[:MOST], *more]))

    def need(self, things: Sequence[Any], what: str) -> None:
        """Stop here if nothing is left to make a task of."""
        if not things:
            steps = "; ".join(f"{name} {left:,}" for name, left in self.filters)
            raise WrongUse(f"no {what} left. {'After each filter: ' + steps + '.' if steps else ''}".rstrip())


def sample(count: int, size: int, seed: int) -> list[int]:
    """The places that pandas' `df.sample(n=size, random_state=seed)` takes from so many rows, in its order.

    >>> sample(10, 3, 4242) == sample(10, 10, 4242)[:3]
    True
    """
    return np.random.RandomState(seed).permutation(count)[:size].tolist()  # type: ignore[no-any-return]


@contextmanager
def uncollected() -> Iterator[None]:
    """Without looking for cycles, which costs much where millions of small things are made and kept."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
