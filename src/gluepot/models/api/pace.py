"""Limit of concurrent requests: one more after each successful round, half as many after a failure."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

FIRST, MOST = 4, 32


class ConcurrencyLimiter:
    """A gate whose width adapts to the server.

    >>> pace = ConcurrencyLimiter()
    >>> pace.slow(); pace.width
    2.0
    """

    def __init__(self, width: float = FIRST, most: int = MOST) -> None:
        self.width, self.most, self.under_way = float(width), most, 0
        self.condition = Condition()

    @contextmanager
    def turn(self) -> Iterator[None]:
        with self.condition:
            self.condition.wait_for(lambda: self.under_way < max(1, int(self.width)))
            self.under_way += 1
        try:
            yield
        finally:
            with self.condition:
                self.under_way -= 1
                self.condition.notify_all()

    def quicken(self) -> None:
        with self.condition:
            self.width = min(self.most, self.width + 1 / max(1.0, self.width))
            self.condition.notify_all()

    def slow(self) -> None:
        with self.condition:
            self.width = max(1.0, self.width / 2)
