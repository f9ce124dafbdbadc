"""Being told to end: as after Ctrl-C, with an exit code of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIGTERM, signal

TOLD_TO_END = 143
"""The exit code after SIGTERM."""


@contextmanager
def ended_like_ctrl_c() -> Iterator[None]:
    """Who is told to end (kill, timeout, a cluster's clock) cleans up, and says how to go on."""

    def end(*_: object) -> None:
        raise KeyboardInterrupt(TOLD_TO_END)

    before = signal(SIGTERM, end)
    try:
        yield
    finally:
        signal(SIGTERM, before)
