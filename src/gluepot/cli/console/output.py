"""Output of commands: one JSON document for machines, tables for people."""

import os
import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, Any

import msgspec

from gluepot.cli.console.terminal import bare, escape_console
from gluepot.escaping import UNSEEN
from gluepot.masking import mask_secrets

if TYPE_CHECKING:
    from rich.console import Console

TERMINAL, PIPED = 80, 120
"""Columns of a terminal that does not report its own, and columns that text is wrapped to in a pipe."""
LINES = 25
"""Lines of a terminal that cannot move its cursor, where they do not matter."""


def print_json(document: Any) -> None:
    """Print one JSON document to standard output, and nothing else there."""
    text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    text = UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)  # JSON allows some of these unescaped
    sys.stdout.buffer.write(f"{text}\n".encode())
    sys.stdout.flush()


def print_notices(sentences: Iterable[str]) -> None:
    """Print notices on standard error, with keys masked."""
    for sentence in sentences:
        print(f"gluepot: {mask_secrets(sentence)}", file=sys.stderr)


def console(*, stderr: bool = False) -> "Console":
    """Return the console for text output; rich is imported only when something is printed with it."""
    from rich.console import Console

    stream = bare(sys.stderr if stderr else sys.stdout)
    width = known_width(stream) or PIPED
    dumb = os.environ.get("TERM", "").lower() in ("dumb", "unknown")
    height = LINES if dumb else None  # without one, rich assumes 80 columns for every dumb terminal
    return escape_console(Console(file=stream, highlight=False, width=width, height=height))


def known_width(stream: IO[str]) -> int | None:
    """Return the available columns: $COLUMNS, or those of the terminal; None if unknown, as in a pipe."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and len(told) < 6 and int(told):
        return int(told)
    if not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or TERMINAL
    except (OSError, ValueError):  # not a real terminal: tests, notebooks
        return TERMINAL


def plain(text: object) -> str:
    """Escape untrusted text for display: rich must not read its square brackets as styles."""
    from rich.markup import escape

    return escape(str(text))


def number(value: float | None, digits: int = 3) -> str:
    """Format a score for tables; a missing one is a dash.

    >>> number(0.53351), number(None)
    ('0.534', '–')
    """
    return "–" if value is None else f"{value:.{digits}f}"


def share(part: object) -> str:
    """Format a share of items for tables; empty if there is none.

    >>> share(0.9227), share(None)
    ('92.2 %', '')
    """
    from gluepot.runs.scores.coverage import percent

    return percent(part) if isinstance(part, float) else ""


def span(low: float | None, high: float | None) -> str:
    """Format an interval for tables.

    >>> span(0.5, 0.6)
    '0.500–0.600'
    """
    return "" if low is None or high is None else f"{number(low)}–{number(high)}"
