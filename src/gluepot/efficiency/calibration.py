"""A short fixed workload that relates the figures of two machines; a model may depend on other resources."""

from collections.abc import Callable
from time import process_time

CAVEAT = (
    "The calibration is a short load on one core (interpreted code and arrays): a model limited by memory, by several cores or by a GPU "
    "may compare otherwise between machines."
)
REPEATS = 5


def calibrate() -> float:
    """Return units per second: the geometric mean of interpreted code and array arithmetic, each the best of five, in processor time."""
    interpreted, arrays = (max(1 / _seconds(load) for _ in range(REPEATS)) for load in (_interpreted, _arrays))
    return float((interpreted * arrays) ** 0.5)


def _seconds(load: Callable[[], None]) -> float:
    start = process_time()
    load()
    return max(1e-9, process_time() - start)


def _interpreted() -> None:
    words: dict[str, int] = {}
    for number in range(100_000):
        word = f"w{number * 7919 % 4096}"
        words[word] = words.get(word, 0) + 1


def _arrays() -> None:
    """Run array operations that no library spreads over cores."""
    import numpy as np

    numbers = np.linspace(0, 1, 200_000)
    for _ in range(4):
        numbers = np.sort(np.exp(np.sin(numbers * 1000)))[::-1]
