"""Notices to the user on standard error, on which no result depends."""

import sys
from contextlib import suppress

from gluepot.escaping import visible
from gluepot.masking import mask_secrets

_TOLD: set[str] = set()


def tell(sentence: str) -> None:
    """Print a sentence to standard error with secrets masked; a closed stream is ignored."""
    with suppress(OSError, ValueError, AttributeError):
        print(visible(mask_secrets(sentence)), file=sys.stderr, flush=True)


def tell_once(sentence: str) -> None:
    """Print a sentence to standard error once per process."""
    if sentence not in _TOLD:
        _TOLD.add(sentence)
        tell(sentence)
