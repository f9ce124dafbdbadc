"""What goes wrong, said to the person who caused it: where, what, the nearest right thing, the next step."""

from collections.abc import Iterable
from difflib import get_close_matches
from signal import Signals, strsignal

from gluepot.masking import mask_secrets

INTERRUPTED, TERMINATED = 130, 143
"""Exit codes after Ctrl-C and after SIGTERM, as shells count them."""
LONGEST_NAME = 100
"""Nothing longer is a misspelt name."""


class GluepotError(Exception):
    """Something the user can mend. Its text is one sentence or more, never a traceback."""

    exit_code = 1

    def __str__(self) -> str:
        """Without what looks like a key, for it is printed, stored and sent."""
        return mask_secrets(super().__str__())


class WrongUse(GluepotError):
    """The command or declaration names something that does not exist or cannot be combined."""

    exit_code = 2


class DataMissing(GluepotError):
    """A file that must be fetched first; the text says how."""

    exit_code = 3


class InvalidOutput(GluepotError):
    """One prediction that its task cannot take: a code for machines, a message and a hint for people."""

    def __init__(self, code: str, message: str, hint: str = "", nearest: float | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.hint, self.nearest = code, message, hint, nearest
        """`nearest`: the answer that the task takes and that is nearest to this one, where there is such a thing."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` most likely means, if any.

    >>> nearest("alpha-nomial", ["alpha-nominal", "accuracy"])
    'alpha-nominal'
    """
    if len(name) > LONGEST_NAME:
        return None
    by_folded = {fold(k): k for k in known}
    if fold(name) in by_folded:
        return by_folded[fold(name)]
    close = get_close_matches(fold(name), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


def fold(name: str) -> str:
    """A name without the differences that nobody means: case, `_` for `-`, outer spaces.

    >>> fold(" NERC_id")
    'nerc-id'
    """
    return name.strip().casefold().replace("_", "-")


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """The sentence for a name that is not there, with the nearest one or the whole list.

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
    """A signal that ended a process, by its name and in words.

    >>> signal_name(4), signal_name(9)
    ('SIGILL (illegal instruction)', 'SIGKILL (killed)')
    """
    try:
        name = Signals(number).name
    except ValueError:
        return f"signal {number}"
    words = (strsignal(number) or "").partition(":")[0].lower()  # some systems put the number behind it
    return f"{name} ({words})" if words else name
