"""Selection of the items that match a query."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gluepot.board.items.item_query import ItemQuery
from gluepot.board.items.loading import Bools, SplitItems, SystemAnswers


def select(items: SplitItems, a: SystemAnswers | None, b: SystemAnswers | None, wish: ItemQuery) -> NDArray[np.intp]:
    """Return the indices of the matching items in the requested order; a filter on missing answers matches none."""
    fits = _by_text(items, wish)
    if wish.only:
        fits &= _by_answers(a, b, wish.only)
    if wish.said:
        fits &= np.array([said == wish.said for said in a.said], bool) if a else False
    found = np.flatnonzero(fits)
    if wish.order == "worst" and a is not None:
        found = found[np.argsort(np.nan_to_num(a.merits[found], nan=np.inf), kind="stable")]
    return found


def _by_text(items: SplitItems, wish: ItemQuery) -> Bools:
    fits = np.ones(len(items.examples), bool)
    if wish.label:
        fits &= np.array([gold == wish.label for gold in items.gold], bool)
    if wish.tag:
        fits &= items.tags.get(wish.tag, np.zeros(len(fits), bool))
    if wish.shortest is not None:
        fits &= items.words >= wish.shortest
    if wish.longest is not None:
        fits &= items.words <= wish.longest
    for word in wish.search.casefold().split():
        fits &= np.array([word in text for text in items.folded], bool)
    return fits


def _by_answers(a: SystemAnswers | None, b: SystemAnswers | None, only: str) -> Bools | bool:
    needed = [a] if only in ("a-right", "a-wrong") else [b] if only in ("b-right", "b-wrong") else [a, b]
    if any(given is None for given in needed):
        return False
    if only in ("a-right", "a-wrong", "b-right", "b-wrong"):
        one = a if only.startswith("a") else b
        assert one is not None
        return one.right if only.endswith("right") else one.wrong
    assert a is not None
    assert b is not None
    return _of_two(a, b, only)


def _of_two(a: SystemAnswers, b: SystemAnswers, only: str) -> Bools:
    tests: dict[str, Callable[[], Bools]] = {
        "a-right-b-wrong": lambda: a.right & b.wrong,
        "a-wrong-b-right": lambda: a.wrong & b.right,
        "both-right": lambda: a.right & b.right,
        "both-wrong": lambda: a.wrong & b.wrong,
        "differ": lambda: np.array([one != other for one, other in zip(a.said, b.said, strict=True)], bool),
        "a-nearer": lambda: np.asarray(a.merits > b.merits, bool),
        "b-nearer": lambda: np.asarray(b.merits > a.merits, bool),
    }
    return tests[only]()
