"""Measurements against other packages and of whole commands: how a comparison is timed and what it must reach."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from timeit import Timer

N = 10_000
"""Items at which the ratios are wanted."""
QUICK_N = 1_000
TURN = 0.02
"""Seconds that a turn lasts at least: quick functions are called several times, so that both sides run warm."""
BUDGET = 2.0
"""Seconds for the turns of one comparison, unless the fewest rounds take longer."""
ROUNDS = (3, 40)
EQUAL = 1e-12
TIMED_RESAMPLES = 200
"""Resamples that the plain bootstrap is timed on; the time of 1,000 is scaled up from them."""


@dataclass(frozen=True)
class Comparison:
    """One line of the table."""

    name: str
    peer: str
    n: int
    our_seconds: float
    peer_seconds: float
    difference: float
    wanted: float | None = None
    """The least ratio at n = 10,000; None where the line is there for information."""
    tolerance: float = EQUAL

    @property
    def ratio(self) -> float:
        return self.peer_seconds / self.our_seconds

    @property
    def holds(self) -> bool:
        """Equal values and, where one is wanted at this n, the ratio."""
        return self.difference <= self.tolerance and (self.wanted is None or self.n < N or self.ratio >= self.wanted)


def compare(
    name: str, peer: str, n: int, ours: Callable[[], float], theirs: Callable[[], float], wanted: float | None = None
) -> Comparison:
    """The line for two functions that should give the same value."""
    difference = abs(ours() - theirs())
    return Comparison(name, peer, n, *alternate(n, ours, theirs), difference, wanted)


def alternate(n: int, ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    """Processor seconds of one call of each: both take turns in this process, and the best turn of each counts."""
    fewest, most = ROUNDS if n >= N else (1, 1)
    sides = [(Timer(function, timer=process_time), _calls(function)) for function in (ours, theirs)]
    rounds: list[list[float]] = []
    spent = 0.0
    while len(rounds) < fewest or (len(rounds) < most and spent < BUDGET):
        turns = [timer.timeit(calls) for timer, calls in sides]
        rounds.append([seconds / calls for seconds, (_, calls) in zip(turns, sides, strict=True)])
        spent += sum(turns)
    our_best, peer_best = map(min, zip(*rounds, strict=True))
    return our_best, peer_best


def _calls(function: Callable[[], object]) -> int:
    return math.ceil(TURN / max(Timer(function).timeit(1), 1e-6))
