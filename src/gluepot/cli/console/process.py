"""A command as a process of its own: handling of Ctrl-C, closed pipes and full disks, from its start to its exit."""

import io
import os
import signal
import sys
from contextlib import suppress
from typing import Any, TextIO

from gluepot.cli import STOPPED, leave
from gluepot.cli.console.signals import Interrupt
from gluepot.cli.console.terminal import escaping_stream


def run_alone(words: list[str]) -> int:
    """Run a command and return its exit code, after all its output is written."""
    interrupts = Interrupts()
    interrupts.exit_on_sigint()
    protect_streams()
    from gluepot.cli.console.dispatch import dispatch
    from gluepot.cli.console.tracebacks import mask_tracebacks

    mask_tracebacks()
    try:
        code = dispatch(words, interrupts.raise_on_sigint)
    except SystemExit as ended:  # argparse has printed the reason
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        if not interrupts.seen:
            raise
        print("gluepot: stopped.", file=sys.stderr)
        code = STOPPED
    code = finish(code)
    interrupts.exit_on_sigint()  # instead of a traceback from interpreter shutdown
    return code


class Interrupts:
    """Handler of Ctrl-C. A process started with SIGINT ignored, as scripts start background processes, continues to ignore it."""

    def __init__(self) -> None:
        self.heard = signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
        self.seen = False

    def exit_on_sigint(self) -> None:
        """Exit immediately on Ctrl-C: during imports there is nothing to clean up, and an exception may surface as another one."""
        self._set(leave)

    def raise_on_sigint(self) -> None:
        """Raise Interrupt on Ctrl-C, since there may now be files, processes and databases to clean up."""
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
        """Repeat an interrupt that came where Python drops exceptions, such as in a destructor."""
        if issubclass(lost.exc_type, Interrupt):
            from threading import Timer

            with suppress(RuntimeError):  # Python is about to exit anyway
                Timer(0.01, os.kill, (os.getpid(), lost.exc_type.signal)).start()
        else:
            sys.__unraisablehook__(lost)


def protect_streams() -> None:
    """Make the standard streams writable, whatever happens to their other end."""
    for number in range(3):  # the number of a closed stream goes to the next file opened, which would then be printed into
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = escaping_stream(protected_stream(sys.stdout, 1))
    sys.stderr = escaping_stream(protected_stream(sys.stderr, 2))


def protected_stream(stream: TextIO | None, number: int) -> TextIO:
    """Return a terminal unchanged; otherwise a stream that outlives its reader, so that work continues without one."""
    if stream is not None and stream.isatty():
        return stream
    if stream is not None:
        stream.flush()
    buffer = io.BufferedWriter(BrokenPipeTolerantFile(number, "wb", closefd=False))
    encoding = stream.encoding if stream is not None else "utf-8"
    return io.TextIOWrapper(buffer, encoding, errors="backslashreplace", line_buffering=number == 2)


class BrokenPipeTolerantFile(io.FileIO):
    """Stream that discards its output after a broken pipe; other errors of standard output are raised, and reported on standard error."""

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
        """Redirect the stream to the null device, so that it fails only once."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


def finish(code: int) -> int:
    """Flush standard output and return the exit code; a full disk can still turn success into failure."""
    try:
        sys.stdout.flush()
    except OSError as error:
        print(f"gluepot: {error.filename}: {error.strerror}.", file=sys.stderr)
        return code or 1
    return code
