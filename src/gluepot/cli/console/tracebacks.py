"""Tracebacks of unexpected errors: printed in full, with keys masked."""

import sys
import threading
from types import TracebackType

from gluepot.masking import mask_secrets


def mask_tracebacks() -> None:
    """Mask tracebacks in all threads of this process; unhandled errors of a worker process come with the error that it sends."""
    sys.excepthook = _show
    threading.excepthook = _show_of_thread


def _show(kind: type[BaseException], error: BaseException, place: TracebackType | None) -> None:
    from traceback import format_exception

    print(mask_secrets("".join(format_exception(kind, error, place))), end="", file=sys.stderr)


def _show_of_thread(lost: threading.ExceptHookArgs) -> None:
    if lost.exc_type is not SystemExit and lost.exc_value is not None:
        _show(lost.exc_type, lost.exc_value, lost.exc_traceback)
