"""Ctrl-C and being told to end: both clean up on their way out, each with an exit code of its own.

Neither raises a plain KeyboardInterrupt: where one crosses a text that is being executed (a dataclass in the making), Python ends the
process by the signal, although it was caught later.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIGINT, SIGTERM, Signals, signal

from gluepot.errors import INTERRUPTED, TERMINATED


class Interrupt(KeyboardInterrupt):
    """Ctrl-C."""

    signal: Signals = SIGINT
    exit_code = INTERRUPTED


class Termination(Interrupt):
    """Told to end: by kill, a timeout, a cluster's clock."""

    signal = SIGTERM
    exit_code = TERMINATED


def exit_code(told: KeyboardInterrupt) -> int:
    """What a command ends with, which was interrupted so."""
    return told.exit_code if isinstance(told, Interrupt) else Interrupt.exit_code


@contextmanager
def ended_like_ctrl_c() -> Iterator[None]:
    """Who is told to end cleans up, and says how to go on."""

    def end(*_: object) -> None:
        raise Termination

    before = signal(SIGTERM, end)
    try:
        yield
    finally:
        signal(SIGTERM, before)
