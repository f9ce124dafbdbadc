"""Ctrl-C and SIGTERM: both clean up before the exit, each with its own exit code.

Neither raises a plain KeyboardInterrupt: if one passes through a text that is being executed (a dataclass being created), Python ends
the process by the signal, although the exception was caught later.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIGINT, SIGTERM, Signals, signal

from gluepot.errors import INTERRUPTED, TERMINATED


class Interrupt(KeyboardInterrupt):
    """Raised on Ctrl-C."""

    signal: Signals = SIGINT
    exit_code = INTERRUPTED


class Termination(Interrupt):
    """Raised on SIGTERM: by kill, a timeout, or a cluster's time limit."""

    signal = SIGTERM
    exit_code = TERMINATED


def exit_code(told: KeyboardInterrupt) -> int:
    """Return the exit code of a command that was interrupted by this exception."""
    return told.exit_code if isinstance(told, Interrupt) else Interrupt.exit_code


@contextmanager
def raise_on_sigterm() -> Iterator[None]:
    """Raise Termination on SIGTERM, so that the command cleans up and reports how to resume."""

    def end(*_: object) -> None:
        raise Termination

    before = signal(SIGTERM, end)
    try:
        yield
    finally:
        signal(SIGTERM, before)
