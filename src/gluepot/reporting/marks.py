"""Marks of systems in plots: a shape, a colour and a letter each; baselines are grey, partial runs hollow."""

from collections.abc import Sequence

from msgspec import Struct

from gluepot.reporting.html.markup import Html, el, join
from gluepot.reporting.systems import PARTIAL, SystemCard

SHAPES = (
    "M0-5A5 5 0 1 1 0 5A5 5 0 1 1 0-5Z",  # circle
    "M-4.5-4.5H4.5V4.5H-4.5Z",  # square
    "M0-5.5L5.5 4.5H-5.5Z",  # triangle
    "M0-6L6 0L0 6L-6 0Z",  # diamond
    "M0 5.5L5.5-4.5H-5.5Z",  # triangle, point down
    "M-2-5.5H2V-2H5.5V2H2V5.5H-2V2H-5.5V-2H-2Z",  # cross
    "M0-6L1.8-1.9L6-1.9L2.7 0.9L3.9 5.2L0 2.7L-3.9 5.2L-2.7 0.9L-6-1.9L-1.8-1.9Z",  # star
    "M-6-3H6V3H-6Z",  # bar
)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WRONG = "M-3.5-3.5L3.5 3.5M3.5-3.5L-3.5 3.5"


class Key(Struct, frozen=True):
    """Appearance of a system in plots and tables."""

    number: int
    name: str
    baseline: bool = False
    majority: bool = False
    partial: bool = False
    letter: str = ""
    """Abbreviation of the name where space is short; empty if there is only one system."""

    @property
    def tone(self) -> str:
        """The CSS classes that set the colour."""
        colour = "baseline" if self.baseline else f"c{self.number % len(SHAPES)}"
        again = " again" if self.number // len(SHAPES) % 2 else ""
        return colour + again + (" partial" if self.partial else "")

    @property
    def full_name(self) -> str:
        return f"{self.name} ({PARTIAL})" if self.partial else self.name


def make_keys(cards: Sequence[SystemCard], majority: Sequence[int]) -> list[Key]:
    return [
        Key(n, card.name, card.baseline, n in majority, card.partial, letter_of(n) if len(cards) > 1 else "")
        for n, card in enumerate(cards)
    ]


def letter_of(number: int) -> str:
    """Return the letter of a number: A, B … Z, AA, AB …

    >>> [letter_of(number) for number in (0, 25, 26, 27)]
    ['A', 'Z', 'AA', 'AB']
    """
    rest, last = divmod(number, len(LETTERS))
    return (letter_of(rest - 1) if rest else "") + LETTERS[last]


def mark(key: Key, **place: object) -> Html:
    """Return the mark of a system at a place, which may be in per cent."""
    return _placed("mark " + key.tone, SHAPES[key.number % len(SHAPES)], **place)


def wrong_mark(**place: object) -> Html:
    """Return the mark of a published value that is known to be wrong."""
    return _placed("reported", _WRONG, **place)


def _placed(class_: str, shape: str, **place: object) -> Html:
    return el("svg", el("path", d=shape, class_=class_), overflow="visible", width=1, height=1, **place)


def legend_mark(key: Key) -> Html:
    """Return the mark next to a system's name."""
    inside = el("line", x1=8, x2=8, y1=1, y2=15, class_="majority") if key.majority else mark(key, x=8, y=8)
    return el("svg", inside, class_="key", width=16, height=16, aria_hidden="true")


def labelled(key: Key, *, lettered: bool = False) -> Html:
    """Return mark and name, with a flag if the system is excluded from rankings."""
    note = el("small", f" {PARTIAL}", class_="flag") if key.partial else el("small", " baseline", class_="flag") if key.baseline else None
    adapter, colon, rest = key.name.partition(":")
    name = join([adapter, colon, el("wbr") if colon else None, rest])
    letter = el("b", key.letter, class_=f"letter {key.tone}") if lettered and key.letter else None
    return el("span", legend_mark(key), letter, el("span", el("bdi", name), note), class_="system")


def legend(keys: Sequence[Key], reported: bool, wrong: bool = False, *, shaded: bool = False) -> Html:
    """Return the legend of a plot's marks."""
    parts = [labelled(key, lettered=True) for key in keys]
    parts.append(el("span", "line: 95 % interval", class_="system"))
    if reported:
        tick = el("svg", el("line", x1=8, x2=8, y1=4, y2=12, class_="reported"), class_="key", width=16, height=16, aria_hidden="true")
        parts.append(el("span", tick, "published value", class_="system"))
    if wrong:
        cross = el("svg", wrong_mark(x=8, y=8), class_="key", width=16, height=16, aria_hidden="true")
        parts.append(el("span", cross, "published, known to be wrong", class_="system"))
    if shaded:
        parts.append(el("span", el("span", "shaded", class_="tie"), " cannot be told apart from the best", class_="system"))
    return el("p", *parts, class_="legend")
