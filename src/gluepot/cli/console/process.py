"""A command as a process of its own: what Ctrl-C, a closed pipe or a full disk do to it, from its first moment to its last."""

import io
import os
import signal
import sys
from contextlib import suppress
from typing import Any, TextIO

from gluepot.cli import STOPPED, leave
from gluepot.cli.console.signals import Interrupt
from gluepot.cli.console.terminal import shielded


def run_alone(words: list[str]) -> int:
    """The exit code of a command, when it has said all that it had to say."""
    interrupts = Interrupts()
    interrupts.leave_at_once()
    tend_streams()
    from gluepot.cli.console.dispatch import dispatch
    from gluepot.cli.console.tracebacks import mask_tracebacks

    mask_tracebacks()
    try:
        code = dispatch(words, interrupts.raise_)
    except SystemExit as ended:  # argparse has said why
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        if not interrupts.seen:
            raise
        print("gluepot: stopped.", file=sys.stderr)
        code = STOPPED
    code = finish(code)
    interrupts.leave_at_once()  # and not with a traceback of how Python tidies up
    return code


class Interrupts:
    """What Ctrl-C does. A process that was started deaf to it, as scripts start those in the background, stays so."""

    def __init__(self) -> None:
        self.heard = signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
        self.seen = False

    def leave_at_once(self) -> None:
        """While imports are under way there is nothing to tidy up, and an exception in the midst of them may end as another one."""
        self._set(leave)

    def raise_(self) -> None:
        """Now there may be files, processes and databases to leave in order."""
        self._set(self._raise)
        sys.unraisablehook = self._again

    def _set(self, handler: Any) -> None:
        if self.heard:
            signal.signal(signal.SIGINT, handler)

    def _raise(self, *_: object) -> None:
        self.seen = True
        raise Interrupt

    @staticmethod
    def _again(lost: "sys.UnraisableHookArgs") -> None:
        """An interrupt that came where Python drops exceptions (in a destructor, say) comes once more."""
        if issubclass(lost.exc_type, Interrupt):
            from threading import Timer

            with suppress(RuntimeError):  # Python is about to end anyway
                Timer(0.01, os.kill, (os.getpid(), lost.exc_type.signal)).start()
        else:
            sys.__unraisablehook__(lost)


def tend_streams() -> None:
    """Standard streams that can be written to whatever becomes of their other end."""
    for number in range(3):  # a stream that is closed lends its number to the next file, which would then be printed into
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = shielded(tended(sys.stdout, 1))
    sys.stderr = shielded(tended(sys.stderr, 2))


def tended(stream: TextIO | None, number: int) -> TextIO:
    """A terminal as it is; else a stream that outlives its reader, so that work goes on when nobody listens any more."""
    if stream is not None and stream.isatty():
        return stream
    if stream is not None:
        stream.flush()
    buffer = io.BufferedWriter(Patient(number, "wb", closefd=False))
    encoding = stream.encoding if stream is not None else "utf-8"
    return io.TextIOWrapper(buffer, encoding, errors="backslashreplace", line_buffering=number == 2)


class Patient(io.FileIO):
    """A pipe that nobody reads any more takes everything; what else is wrong with standard output is told on standard error."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except OSError as error:
            self._silence()
            if isinstance(error, BrokenPipeError) or self.fileno() == 2:
                return len(data)
            from gluepot.cli.console.dispatch import OUTPUT

            error.filename = OUTPUT
            raise

    def _silence(self) -> None:
        """From now on all goes nowhere: it is enough to fail once."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


def finish(code: int) -> int:
    """Write out what is left; a full disk can still turn a yes into a no."""
    try:
        sys.stdout.flush()
    except OSError as error:
        print(f"gluepot: {error.filename}: {error.strerror}.", file=sys.stderr)
        return code or 1
    return code
