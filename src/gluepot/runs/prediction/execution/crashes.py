"""Descriptions of how a worker process ended, with hints on what may help."""

from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess
from signal import SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGKILL, SIGSEGV, SIGTERM, SIGXCPU
from time import monotonic, sleep

from gluepot.errors import TERMINATED, signal_name
from gluepot.models import ModelName
from gluepot.models.precision_probe import FULL
from gluepot.models.settings import PRECISION

CRASHED = "A library crashed: try newer versions of those that the manifest names, or --jobs 1."
WAIT = 5.0


def exit_code(processes: Sequence[BaseProcess]) -> int | None:
    """Return the exit code of the worker that broke the pool; those of workers terminated with it count only if there are no others."""
    deadline = monotonic() + WAIT
    while True:
        codes = [process.exitcode for process in processes]
        ended = [code for code in codes if code is not None]
        own = [code for code in ended if code not in (0, TERMINATED, -SIGTERM)]
        if own or len(ended) == len(codes) or monotonic() > deadline:
            return min(own or filter(None, ended), default=None)
        sleep(0.01)


def signal_of(code: int | None) -> int | None:
    """Return the signal behind an exit code, if any."""
    if code == TERMINATED:
        return SIGTERM
    return -code if code is not None and code < 0 else None


def describe_exit(code: int | None) -> str:
    """Describe how a worker ended.

    >>> describe_exit(-4), describe_exit(3)
    ('was killed by SIGILL (illegal instruction)', 'ended with exit code 3')
    """
    number = signal_of(code)
    if number is None:
        return "is gone" if code is None else f"ended with exit code {code}"
    return f"was killed by {signal_name(number)}"


def hopeless(code: int | None) -> bool:
    """Return whether another attempt must end the same way."""
    return signal_of(code) == SIGILL


def hint(code: int | None, model: ModelName, jobs: int) -> str:
    """Return the suggested next step; empty if none is known."""
    number = signal_of(code)
    return HINTS[number](model, jobs) if number in HINTS else ""


def _illegal(model: ModelName, jobs: int) -> str:
    if not model.info.takes(PRECISION):
        return "A library was built for another processor: install one for this processor."
    if model.setting(PRECISION) == FULL:
        return "The processor, or the virtual machine around it, lacks an instruction that torch uses: install a torch for it."
    return "The processor, or the virtual machine around it, lacks an instruction that half precision uses: try --precision fp32."


def _memory(model: ModelName, jobs: int) -> str:
    return f"Out of memory? Try {'--jobs 1' if jobs > 1 else 'a smaller model'}; what is done is kept, and the same command goes on."


HINTS: dict[int, Callable[[ModelName, int], str]] = {
    SIGILL: _illegal,
    SIGKILL: _memory,
    SIGSEGV: lambda model, jobs: CRASHED,
    SIGABRT: lambda model, jobs: CRASHED,
    SIGFPE: lambda model, jobs: CRASHED,
    SIGBUS: lambda model, jobs: "Is the disk or /dev/shm full, or has a file of the model been cut short while it was read?",
    SIGTERM: lambda model, jobs: "Somebody told it to end; the same command goes on where it was.",
    SIGXCPU: lambda model, jobs: "Its CPU time was limited (ulimit -t); the same command goes on where it was.",
}
