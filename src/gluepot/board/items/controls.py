"""Template context of the item browser: form, links and items as HTML."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gluepot.answers import Answer
from gluepot.board.items.browsing import BrowsedItem, Browser
from gluepot.board.items.confusion import OTHER, ConfusionMatrix
from gluepot.board.items.item_query import NEARNESS, RIGHTNESS, ItemQuery
from gluepot.board.items.loading import SplitItems
from gluepot.board.items.showing import Part, answer_part, input_parts
from gluepot.board.templatetags.shown import decimal

Link = Callable[[ItemQuery], str]


@dataclass(frozen=True)
class ShownAnswer:
    """An answer with a symbol that does not rely on colour."""

    who: str
    what: SafeString
    sign: str
    word: str
    """right, wrong, or the distance to the gold answer."""


@dataclass(frozen=True)
class ShownItem:
    """An item rendered for the page."""

    item: BrowsedItem
    parts: list[Part]
    gold: SafeString
    said: list[ShownAnswer]
    tags: list[tuple[str, str]]


@dataclass(frozen=True)
class Controls:
    """The form, links and rendered items of the browser."""

    wish: ItemQuery
    action: str
    only: list[tuple[str, str, bool]]
    labels: list[tuple[str, int, bool]]
    tags: list[tuple[str, int, bool]]
    pages: list[tuple[str, str, bool]]
    swapped: str
    shown: list[ShownItem]
    matrices: list[tuple[ConfusionMatrix, list[tuple[str, list[tuple[int, str, bool]]]]]]
    """Rows of (count, address, correct)."""


def make_controls(browser: Browser, items: SplitItems, wish: ItemQuery, link: Link) -> Controls:
    names = dict(browser.systems)
    counts = [(tag, int(fits.sum()), tag == wish.tag) for tag, fits in items.tags.items()]
    return Controls(
        wish=wish,
        action=link(ItemQuery()),
        only=[(value, title, value == wish.only) for value, title in _only(browser, items, names).items()],
        labels=[(label, count, label == wish.label) for label, count in items.labels] if items.answer.classes(items.task) else [],
        tags=counts,
        pages=_pages(browser, wish, link),
        swapped=link(wish.with_changes(a=wish.b, b=wish.a, said="")) if browser.a and browser.b else "",
        shown=[_shown(items, item, names, wish, link) for item in browser.items],
        matrices=[(matrix, _rows(matrix, browser, wish, link)) for matrix in browser.confusions],
    )


def _only(browser: Browser, items: SplitItems, names: dict[str, str]) -> dict[str, str]:
    """Return the filters available for the answers of the selected systems."""
    who = {"a": names.get(browser.a, ""), "b": names.get(browser.b, "")}
    titles = {
        "a-right": _("%(a)s is right"),
        "a-wrong": _("%(a)s is wrong"),
        "b-right": _("%(b)s is right"),
        "b-wrong": _("%(b)s is wrong"),
        "a-right-b-wrong": _("%(a)s is right, %(b)s is wrong"),
        "a-wrong-b-right": _("%(a)s is wrong, %(b)s is right"),
        "both-right": _("both are right"),
        "both-wrong": _("both are wrong"),
        "differ": _("their answers differ"),
        "a-nearer": _("%(a)s is nearer than %(b)s"),
        "b-nearer": _("%(b)s is nearer than %(a)s"),
    }
    fit = NEARNESS if items.answer.by_distance else RIGHTNESS
    return {name: titles[name] % who for name in fit if _possible(name, browser)}


def _possible(name: str, browser: Browser) -> bool:
    if name in ("a-right", "a-wrong"):
        return bool(browser.a)
    return bool(browser.b) if name in ("b-right", "b-wrong") else bool(browser.a and browser.b)


def _pages(browser: Browser, wish: ItemQuery, link: Link) -> list[tuple[str, str, bool]]:
    """Return links to the first and last page and to those around the current one."""
    if browser.pages == 1:
        return []
    near = sorted({1, browser.pages, *range(max(1, browser.page - 2), min(browser.pages, browser.page + 2) + 1)})
    return [(str(number), link(wish.with_changes(page=number)), number == browser.page) for number in near]


def _shown(items: SplitItems, item: BrowsedItem, names: dict[str, str], wish: ItemQuery, link: Link) -> ShownItem:
    example = items.examples[item.number]
    said = [
        ShownAnswer(names[one.system], answer_part(items.task, example, one.answer), *_judged(items.answer, one.merit, one.answer))
        for one in item.answers
    ]
    tags = [(tag, link(wish.with_changes(tag=tag))) for tag in item.tags if "/" in tag]
    return ShownItem(item, input_parts(items.task, example), answer_part(items.task, example, example.target), said, tags)


def _judged(form: Answer, merit: float | None, answer: object) -> tuple[str, str]:
    if merit is None or answer is None:
        return "", ""
    if form.by_distance:
        return "", _("off by %(distance)s") % {"distance": decimal(-merit, 2)}
    if merit >= 1:
        return "✓", _("right")
    share = _("%(share)s %% right") % {"share": decimal(100 * merit, 0)}
    return "✗", share if merit > 0 else _("wrong")


def _rows(matrix: ConfusionMatrix, browser: Browser, wish: ItemQuery, link: Link) -> list[tuple[str, list[tuple[int, str, bool]]]]:
    """Return the rows of a matrix, with each count linked to its items."""
    first = wish if matrix.slug == browser.a else wish.with_changes(a=browser.b, b=browser.a)
    return [
        (
            gold,
            [
                (
                    count,
                    link(first.with_changes(only="", label=gold, said=said)) if count and OTHER not in (gold, said) else "",
                    gold == said,
                )
                for said, count in zip(matrix.labels, counts, strict=True)
            ],
        )
        for gold, counts in zip(matrix.labels, matrix.counts, strict=True)
    ]
