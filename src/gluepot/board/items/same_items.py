"""Scores of systems on exactly the items shown to human raters."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gluepot.board.items.loading import LRUCache, SplitItems, load_given
from gluepot.board.models import Answers, SuiteVersion, System
from gluepot.errors import GluepotError
from gluepot.metrics.sample import value_of
from gluepot.records import Task
from gluepot.tasks.judging import make_sample

_scores = LRUCache(20_000)
"""Answer files never change: a score is computed once, regardless of later imports."""


@dataclass(frozen=True)
class SameItemsScore:
    """A system's score on the items shown to the raters, averaged over its seeds."""

    system: System
    value: float | None
    n: int
    """Number of these items that the system answered; the smallest over its seeds."""


def same_items_scores(
    version: SuiteVersion, task: Task, metric: str, items: SplitItems, people: str
) -> tuple[list[int], list[SameItemsScore]]:
    """Return the indices of the items shown to the raters `people`, and the scores of all other systems on them."""
    rows = Answers.objects.filter(entry__suite=version, task=task.name, split=items.split, current=True).defer("merits")
    by_system: dict[str, list[Answers]] = {}
    for row in rows.select_related("entry__system").order_by("entry__system__name", "seed"):
        by_system.setdefault(row.entry.system.slug, []).append(row)
    own = by_system.pop(people, [])
    asked = [place for place, output in enumerate(load_given(own[0], items).outputs) if output is not None] if own else []
    if not asked:
        return [], []
    return asked, [_system_score(metric, items, asked, own[0], seeds) for seeds in by_system.values()]


def _system_score(metric: str, items: SplitItems, asked: list[int], people: Answers, seeds: Sequence[Answers]) -> SameItemsScore:
    found = [_scores.get((metric, items.key, people.file.name, row.file.name), partial(_score, metric, items, asked, row)) for row in seeds]
    values = [value for value, _n in found if value is not None]
    return SameItemsScore(seeds[0].entry.system, sum(values) / len(values) if values else None, min(n for _value, n in found))


def _score(metric: str, items: SplitItems, asked: list[int], row: Answers) -> tuple[float | None, int]:
    outputs = load_given(row, items).outputs
    both = [place for place in asked if outputs[place] is not None]
    answers: list[Any] = [items.answer.from_json(outputs[place]) for place in both]
    try:
        value = value_of(make_sample(items.task, metric, [items.examples[place] for place in both], answers)) if both else None
    except GluepotError:
        value = None
    return (value if value is not None and value == value else None), len(both)
