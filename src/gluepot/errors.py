"""Exceptions whose messages name the place, the error, the nearest valid alternative and the next step."""

from collections.abc import Iterable
from difflib import get_close_matches
from signal import Signals, strsignal

from gluepot.masking import mask_secrets

INTERRUPTED, TERMINATED = 130, 143
"""Exit codes after Ctrl-C and SIGTERM, by shell convention."""
LONGEST_NAME = 100
"""Longer strings are not treated as misspelt names."""


class GluepotError(Exception):
    """Error that the user can fix. Its message is one or more sentences, without a traceback."""

    exit_code = 1

    def __str__(self) -> str:
        """Return the message with secrets masked, since it is printed, stored and sent."""
        return mask_secrets(super().__str__())


class WrongUse(GluepotError):
    """Invalid usage: a command or declaration names something that does not exist or cannot be combined."""

    exit_code = 2


class DataMissing(GluepotError):
    """Missing file that must be downloaded first; the message says how."""

    exit_code = 3


class InvalidOutput(GluepotError):
    """Prediction that is invalid for its task: a machine-readable code, a message and a hint."""

    def __init__(self, code: str, message: str, hint: str = "", nearest: float | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.hint, self.nearest = code, message, hint, nearest
        """`nearest`: the valid answer nearest to this one, if any."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to `name`, or None.

    >>> nearest("alpha-nomial", ["alpha-nominal", "accuracy"])
    'alpha-nominal'
    """
    if len(name) > LONGEST_NAME:
        return None
    by_folded = {canonical_name(k): k for k in known}
    if canonical_name(name) in by_folded:
        return by_folded[canonical_name(name)]
    close = get_close_matches(canonical_name(name), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


def canonical_name(name: str) -> str:
    """Normalise a name for comparison: case, `_` for `-`, surrounding whitespace.

    >>> canonical_name(" NERC_id")
    'nerc-id'
    """
    return name.strip().casefold().replace("_", "-")


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Return the error message for an unknown name, with the nearest known name or the full list.

    >>> unknown("metric", "acuracy", ["accuracy", "mcc"])
    "no metric 'acuracy'. Did you mean 'accuracy'?"
    >>> unknown("metric", "zzz", ["accuracy", "mcc"])
    "no metric 'zzz'. Known: accuracy, mcc."
    """
    known = sorted(known)
    guess = nearest(name, known)
    tail = f"Did you mean {guess!r}?" if guess else f"Known: {', '.join(known) or 'none'}."
    return f"no {what} {name!r}. {tail}"


def signal_name(number: int) -> str:
    """Return the name and description of a signal.

    >>> signal_name(4), signal_name(9)
    ('SIGILL (illegal instruction)', 'SIGKILL (killed)')
    """
    try:
        name = Signals(number).name
    except ValueError:
        return f"signal {number}"
    words = (strsignal(number) or "").partition(":")[0].lower()  # some systems append the number
    return f"{name} ({words})" if words else name
