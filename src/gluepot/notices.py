"""What people are told beside the answer: a sentence on standard error, which no work hangs on."""

import sys
from contextlib import suppress

from gluepot.escaping import visible
from gluepot.masking import mask_secrets

_TOLD: set[str] = set()


def tell(sentence: str) -> None:
    """Say something, secrets masked; where nobody listens any more, go on all the same."""
    with suppress(OSError, ValueError, AttributeError):
        print(visible(mask_secrets(sentence)), file=sys.stderr, flush=True)


def tell_once(sentence: str) -> None:
    """Say something the first time that it is true in this process."""
    if sentence not in _TOLD:
        _TOLD.add(sentence)
        tell(sentence)
