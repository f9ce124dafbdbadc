"""Notices to the user on standard error, on which no result depends."""

import sys
from contextlib import suppress

from gluepot.escaping import escape_control_characters
from gluepot.masking import mask_secrets

_NOTIFIED: set[str] = set()


def notify(sentence: str) -> None:
    """Print a sentence to standard error with secrets masked; a closed stream is ignored."""
    with suppress(OSError, ValueError, AttributeError):
        print(escape_control_characters(mask_secrets(sentence)), file=sys.stderr, flush=True)


def notify_once(sentence: str) -> None:
    """Print a sentence to standard error once per process."""
    if sentence not in _NOTIFIED:
        _NOTIFIED.add(sentence)
        notify(sentence)
