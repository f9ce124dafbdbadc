"""Query of the item browser, with a canonical URL spelling."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, quote, urlencode

PAGE = 25
"""Items per page."""
LONGEST = 200
RIGHTNESS = ("a-right", "a-wrong", "b-right", "b-wrong", "a-right-b-wrong", "a-wrong-b-right", "both-right", "both-wrong", "differ")
NEARNESS = ("a-nearer", "b-nearer")
"""Filters for numeric answers, which are near or far rather than right or wrong."""
ORDERS = ("", "worst")


@dataclass(frozen=True)
class ItemQuery:
    """Parsed query that selects, orders and paginates the items."""

    split: str = ""
    a: str = ""
    b: str = ""
    """Slugs of up to two systems."""
    only: str = ""
    label: str = ""
    said: str = ""
    """The answer given by `a`."""
    tag: str = ""
    shortest: int | None = None
    longest: int | None = None
    """Length limits in words."""
    search: str = ""
    order: str = ""
    page: int = 1
    unknown: tuple[tuple[str, str], ...] = ()

    def query(self) -> str:
        """Return the canonical query string: fixed order, defaults omitted.

        >>> ItemQuery(a="svm", only="a-wrong", longest=10).query()
        'a=svm&only=a-wrong&max=10'
        """
        written = {name: getattr(self, field) for name, (field, _) in _READERS.items()}
        pairs = [(name, str(value)) for name, value in written.items() if value not in ("", None) and (name, value) != ("page", 1)]
        return urlencode([*pairs, *self.unknown], quote_via=quote, safe=",:/")

    def with_changes(self, **changes: object) -> "ItemQuery":
        """Return a copy with changes, reset to the first page."""
        return replace(self, **{"page": 1, **changes})  # type: ignore[arg-type]


def parse_item_query(query: str) -> ItemQuery:
    """Parse a query string; unrecognized parameters are collected in `unknown`.

    >>> parse_item_query("max=10&only=never").unknown
    (('only', 'never'),)
    """
    found: dict[str, object] = {}
    unknown = []
    for name, text in parse_qsl(query, keep_blank_values=False) if query.count("&") < 100 else []:
        try:
            field, read = _READERS[name]
            found[field] = read(text.replace("\0", "").strip()[:LONGEST])
        except (KeyError, ValueError):
            unknown.append((name[:LONGEST], text[:LONGEST]))
    return replace(ItemQuery(), **found, unknown=tuple(dict.fromkeys(unknown)))  # type: ignore[arg-type]


def _count(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 10**6:
        raise ValueError(f"not a count: {text}")
    return number


def _page(text: str) -> int:
    return max(1, _count(text))


def _among(known: Iterable[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in known:
            raise ValueError(f"unknown: {text}")
        return text

    return read


_READERS: dict[str, tuple[str, Callable[[str], object]]] = {
    "split": ("split", str),
    "a": ("a", str),
    "b": ("b", str),
    "only": ("only", _among((*RIGHTNESS, *NEARNESS))),
    "label": ("label", str),
    "said": ("said", str),
    "tag": ("tag", str),
    "min": ("shortest", _count),
    "max": ("longest", _count),
    "q": ("search", lambda text: " ".join(text.split())),
    "sort": ("order", _among(ORDERS)),
    "page": ("page", _page),
}
NAMES = tuple(_READERS)
"""Recognized parameters."""
