"""Data of the item browser: the selected items with the answers of up to two systems."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from gluepot.board.items.confusion import ConfusionMatrix, confusion
from gluepot.board.items.item_query import PAGE, ItemQuery
from gluepot.board.items.loading import SplitItems, SystemAnswers, answered, load_given
from gluepot.board.items.selecting import select
from gluepot.board.models import SuiteVersion
from gluepot.data.folders import has_split
from gluepot.records import Task
from gluepot.runs.storage.store import plain


@dataclass(frozen=True)
class ItemAnswer:
    """A system's answer to an item."""

    system: str
    answer: Any
    merit: float | None
    """1 right, 0 wrong, or a degree of closeness; None without an answer."""


@dataclass(frozen=True)
class BrowsedItem:
    """An item with its gold answer and the answers of up to two systems."""

    number: int
    id: str
    inputs: dict[str, Any]
    gold: Any
    tags: tuple[str, ...]
    answers: list[ItemAnswer]


@dataclass(frozen=True)
class Both:
    """Joint counts of two systems on the same items."""

    both_right: int
    only_a: int
    only_b: int
    both_wrong: int


@dataclass(frozen=True)
class Browser:
    """Data of the item browser; `closed` gives the reason if there are no items."""

    closed: str = ""
    split: str = ""
    systems: list[tuple[str, str]] = field(default_factory=list)
    """Slugs and names of the systems with answers."""
    a: str = ""
    b: str = ""
    total: int = 0
    found: int = 0
    page: int = 1
    pages: int = 1
    items: list[BrowsedItem] = field(default_factory=list)
    confusions: list[ConfusionMatrix] = field(default_factory=list)
    both: Both | None = None
    unknown: list[str] = field(default_factory=list)


def browse(version: SuiteVersion, task: Task, split: str, items: SplitItems | None, wish: ItemQuery) -> Browser:
    """Return one page of the items that match a query."""
    if items is None:
        return Browser(closed=_closed(task, split), split=split)
    known = answered(version, task.name, split)
    a, b = (load_given(known[slug], items) if slug in known else None for slug in (wish.a, wish.b))
    found = select(items, a, b, wish)
    pages = max(1, -(-len(found) // PAGE))
    page = min(wish.page, pages)
    chosen = [given for given in (a, b) if given is not None]
    return Browser(
        split=split,
        systems=[(slug, row.entry.system.name) for slug, row in known.items()],
        a=a.slug if a else "",
        b=b.slug if b else "",
        total=len(items.examples),
        found=len(found),
        page=page,
        pages=pages,
        items=[_item(items, chosen, int(number)) for number in found[(page - 1) * PAGE : page * PAGE]],
        confusions=[matrix for given in chosen if (matrix := confusion(items, given)) is not None],
        both=_both(a, b) if a and b and not items.answer.by_distance else None,
        unknown=_unknown(items, known, wish),
    )


def _closed(task: Task, split: str) -> str:
    """Return the reason why items are not shown."""
    if split in task.data.unlabelled:
        return _("The publisher withholds the answers to this split, so no items are shown.")
    if split == "train":
        return _("Training data is not shown.")
    if has_split(task, split):
        return _("The data on this server cannot be used: “%(command)s” shows why.") % {"command": f"gluepot data check {task.suite}"}
    return _("The data is not on this server. Get it with “%(command)s”.") % {"command": f"gluepot data fetch {task.suite}"}


def _item(items: SplitItems, chosen: list[SystemAnswers], number: int) -> BrowsedItem:
    example = items.examples[number]
    answers = [ItemAnswer(given.slug, given.outputs[number], _merit(float(given.merits[number]))) for given in chosen]
    return BrowsedItem(number, example.id, example.inputs, plain(example.target), example.tags, answers)


def _merit(merit: float) -> float | None:
    return None if merit != merit else merit


def _both(a: SystemAnswers, b: SystemAnswers) -> Both:
    tests = (a.right & b.right, a.right & b.wrong, a.wrong & b.right, a.wrong & b.wrong)
    return Both(*(int(test.sum()) for test in tests))


def _unknown(items: SplitItems, known: dict[str, Any], wish: ItemQuery) -> list[str]:
    """Return the query parameters with unknown names or values."""
    odd = [f"{name}={value}" for name, value in wish.unknown]
    odd += [f"{name}={slug}" for name, slug in (("a", wish.a), ("b", wish.b)) if slug and slug not in known]
    odd += [f"tag={wish.tag}"] if wish.tag and wish.tag not in items.tags else []
    odd += [f"split={wish.split}"] if wish.split and wish.split != items.split else []
    return odd + ([f"label={wish.label}"] if wish.label and wish.label not in dict(items.labels) else [])
