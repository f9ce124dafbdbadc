"""State of the quality page chosen by a visitor, and its canonical URL query: fixed order, defaults omitted."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import isfinite
from urllib.parse import parse_qsl, quote, urlencode

from gluepot.board.standings.aggregates import AGGREGATES
from gluepot.errors import canonical_name

OPENNESS = ("weights", "code", "data")
FACTS = ("name", "family", "parameters", "data", "date", "overall", "coverage")
"""Sort keys other than the tasks."""
LONGEST = 200
"""Maximum length of a word in the query; longer ones are cut off or ignored."""
_SIZES = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "g": 10**9, "t": 10**12}


@dataclass(frozen=True)
class State:
    """All choices that determine the content of the quality page."""

    split: str = ""
    """Empty for the suite's default split."""
    tasks: tuple[str, ...] = ()
    """Empty for those of the suite's official mean."""
    weights: tuple[tuple[str, float], ...] = ()
    only: str = ""
    """The only task that ranks; the others remain visible."""
    harness: str = ""
    """The only harness, with its version, whose scores are shown."""
    families: tuple[str, ...] = ()
    smallest: int | None = None
    largest: int | None = None
    languages: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    search: str = ""
    sort: str = "overall"
    descending: bool = True
    aggregate: str = "mean"
    hide_incomplete: bool = False
    pinned: tuple[str, ...] = ()
    picked: tuple[str, ...] = ()
    """The only systems shown; their ranks are among all systems."""
    intervals: bool = False
    page: int = 1
    unknown: tuple[tuple[str, str], ...] = ()
    """Unknown parameters, preserved and reported."""

    def query(self) -> str:
        """Return the canonical query string.

        >>> State(split="dev", tasks=("reviews", "pairs"), largest=150_000_000, sort="pairs").query()
        'split=dev&tasks=pairs,reviews&pmax=150M&sort=-pairs'
        """
        return urlencode(list(self.pairs()), quote_via=quote, safe=",:")

    def pairs(self) -> Iterable[tuple[str, str]]:
        """Yield the names and values of the query in canonical order."""
        sort = f"{'-' if self.descending else ''}{self.sort}"
        weights = ",".join(f"{task}:{weight:g}" for task, weight in self.weights)
        written = {
            "split": self.split,
            "tasks": ",".join(sorted(self.tasks)),
            "w": weights,
            "only": self.only,
            "ver": self.harness,
            "fam": ",".join(self.families),
            "pmin": write_size(self.smallest),
            "pmax": write_size(self.largest),
            "lang": ",".join(self.languages),
            "open": ",".join(self.open),
            "q": self.search,
            "sort": "" if sort == "-overall" else sort,
            "agg": "" if self.aggregate == "mean" else self.aggregate,
            "miss": "hide" if self.hide_incomplete else "",
            "pin": ",".join(self.pinned),
            "s": ",".join(self.picked),
            "ci": "95" if self.intervals else "",
            "page": "" if self.page == 1 else str(self.page),
        }
        yield from ((name, text) for name, text in written.items() if text)
        yield from self.unknown

    def with_changes(self, **changes: object) -> "State":
        """Return a copy with changes, reset to the first page."""
        return replace(self, **{"page": 1, **changes})  # type: ignore[arg-type]


def parse_state(query: str) -> State:
    """Parse a query string into a state; unparsable parameters are preserved as unknown.

    >>> parse_state("sort=-pairs&pmax=150M&split=dev").largest
    150000000
    >>> parse_state("colour=red").unknown
    (('colour', 'red'),)
    """
    found: dict[str, object] = {}
    unknown = []
    for name, text in parse_qsl(query, keep_blank_values=False, max_num_fields=100) if query.count("&") < 100 else []:
        if len(text) > 20 * LONGEST or len(name) > LONGEST:
            continue
        try:
            field, value = _read(name, text.replace("\0", ""))
            found[field] = _joined(found.get(field), value)
        except (KeyError, ValueError):
            unknown.append((name, text))
    if isinstance(sort := found.pop("sort", None), tuple):
        found["sort"], found["descending"] = sort
    return replace(State(), **found, unknown=tuple(dict.fromkeys(unknown)))  # type: ignore[arg-type]


def _joined(old: object, new: object) -> object:
    """Merge repeated parameters: a form sends `fam=a&fam=b` where a link has `fam=a,b`."""
    if isinstance(old, tuple) and isinstance(new, tuple) and old and not isinstance(old[-1], bool):
        return tuple(sorted({*old, *new}))
    return new


def read_size(text: str) -> int:
    """Parse a size such as `150M`, `1.3b` or `124690944`.

    >>> read_size("1.3B"), read_size("150 m")
    (1300000000, 150000000)
    """
    match = re.fullmatch(r"\s*(\d{1,15}(?:[.,]\d{1,9})?)\s*([kmbgt]?)\s*", text.lower())
    if match is None:
        raise ValueError(f"not a size: {text}")
    return round(float(match[1].replace(",", ".")) * _SIZES[match[2]])


def write_size(size: int | None) -> str:
    """Return the shortest spelling of a size that parses to the same number.

    >>> write_size(1_300_000_000), write_size(124_690_944), write_size(None)
    ('1.3B', '124.690944M', '')
    """
    if size is None:
        return ""
    for letter, unit in (("T", 10**12), ("B", 10**9), ("M", 10**6), ("K", 10**3)):
        if size >= unit:
            text = f"{size / unit:.9f}".rstrip("0").rstrip(".")
            return f"{text}{letter}" if read_size(text + letter) == size else str(size)
    return str(size)


def _words(text: str) -> tuple[str, ...]:
    words = sorted({word.strip()[:LONGEST] for word in text.split(",")} - {""})
    if not words:
        raise ValueError("nothing named")
    return tuple(words)


def _weights(text: str) -> tuple[tuple[str, float], ...]:
    found: dict[str, float] = {}
    for part in text.split(","):
        task, _, number = part.rpartition(":")
        weight = float(f"{float(number):g}")
        if not task or not isfinite(weight) or not 0 <= weight <= 1000:
            raise ValueError(f"not a weight: {part}")
        if weight != 1:
            found[task.strip()] = weight
    return tuple(sorted(found.items()))


def _one_of(known: Iterable[str], text: str) -> str:
    match = {canonical_name(word): word for word in known}.get(canonical_name(text))
    if match is None:
        raise ValueError(f"unknown: {text}")
    return match


def _page(text: str) -> int:
    page = int(text)
    if not 1 <= page <= 10**6:
        raise ValueError("no such page")
    return page


def _sort(text: str) -> tuple[str, bool]:
    name = text.strip().removeprefix("-")
    if not name or "," in name or len(name) > LONGEST or name.startswith("-"):
        raise ValueError("nothing to sort by")
    return name, text.strip().startswith("-")


_READERS: dict[str, tuple[str, Callable[[str], object]]] = {
    "split": ("split", lambda text: text.strip()[:LONGEST]),
    "tasks": ("tasks", _words),
    "w": ("weights", _weights),
    "only": ("only", lambda text: text.strip()[:LONGEST]),
    "ver": ("harness", lambda text: " ".join(text.split())[:LONGEST]),
    "fam": ("families", _words),
    "pmin": ("smallest", read_size),
    "pmax": ("largest", read_size),
    "lang": ("languages", _words),
    "open": ("open", lambda text: tuple(_one_of(OPENNESS, word) for word in _words(text))),
    "q": ("search", lambda text: " ".join(text.split())[:LONGEST]),
    "sort": ("sort", _sort),
    "agg": ("aggregate", lambda text: _one_of(AGGREGATES, text)),
    "miss": ("hide_incomplete", lambda text: _one_of(("hide", "exclude"), text) == "hide"),
    "pin": ("pinned", _words),
    "s": ("picked", _words),
    "ci": ("intervals", lambda text: _one_of(("95",), text) == "95"),
    "page": ("page", _page),
}
NAMES = (*_READERS, "w-")
"""Known parameters; `w-` is the prefix of a task's weight as sent by a form."""


def _read(name: str, text: str) -> tuple[str, object]:
    """Return the field that a parameter sets and its value; a form sends a task's weight as `w-TASK`."""
    if name.startswith("w-") and len(name) > 2:
        return "weights", _weights(f"{name[2:]}:{text.replace(',', '.')}")
    field, reader = _READERS[name]
    return field, reader(text)
