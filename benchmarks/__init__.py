"""Benchmarks against other packages and of whole commands: timing of comparisons and their targets."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from timeit import Timer

N = 10_000
"""Number of items at which the target ratios apply."""
QUICK_N = 1_000
TURN = 0.02
"""Minimum duration of a turn in seconds: fast functions are called several times, so that both sides run warm."""
BUDGET = 2.0
"""Seconds for the turns of one comparison, unless the minimum number of rounds takes longer."""
ROUNDS = (3, 40)
EQUAL = 1e-12
TIMED_RESAMPLES = 200
"""Resamples that the plain bootstrap is timed on; its time is scaled up to 1,000."""


@dataclass(frozen=True)
class Comparison:
    """One row of the table."""

    name: str
    peer: str
    n: int
    our_seconds: float
    peer_seconds: float
    difference: float
    wanted: float | None = None
    """Minimum ratio at n = 10,000; None if the row is for information only."""
    tolerance: float = EQUAL

    @property
    def ratio(self) -> float:
        return self.peer_seconds / self.our_seconds

    @property
    def holds(self) -> bool:
        """Whether the values are equal and the target ratio, if any applies at this n, is reached."""
        return self.difference <= self.tolerance and (self.wanted is None or self.n < N or self.ratio >= self.wanted)


def compare(
    name: str, peer: str, n: int, ours: Callable[[], float], theirs: Callable[[], float], wanted: float | None = None
) -> Comparison:
    """Compare two functions that should return the same value."""
    difference = abs(ours() - theirs())
    return Comparison(name, peer, n, *alternate(n, ours, theirs), difference, wanted)


def alternate(n: int, ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    """Return the CPU seconds per call of both functions: they alternate in this process, and the best turn of each counts."""
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
