"""What is tested in which language, and by how many systems: a table for the front page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from django.utils.html import format_html
from django.utils.safestring import SafeString

from gluepot.board.analysis.finding_tests import TaskPlace, best_test

SMALLEST, LARGEST = 2.5, 8.0
"""Radii of dots."""


@dataclass(frozen=True)
class CoveredType:
    """A type of task with the test of most systems in each language, if there is one."""

    label: str
    tests: list[TaskPlace | None]


def coverage(places: Sequence[TaskPlace], types: dict[str, str], languages: Iterable[str]) -> list[CoveredType]:
    """A row for each type of task, a column for each language."""
    codes = list(languages)
    return [CoveredType(label, [best_test(places, name, code) for code in codes]) for name, label in types.items()]


def draw_coverage(rows: Sequence[CoveredType]) -> list[tuple[str, list[tuple[TaskPlace | None, SafeString]]]]:
    """The rows with a dot for each test: its area stands for the systems, filled where most scores were computed here."""
    most = max((test.systems for row in rows for test in row.tests if test), default=1)
    return [(row.label, [(test, draw_dot(test, most) if test else SafeString("")) for test in row.tests]) for row in rows]


def draw_dot(test: TaskPlace, most: int) -> SafeString:
    radius = max(SMALLEST, LARGEST * sqrt(test.systems / most))
    mark = "pt" if 2 * test.recomputed >= test.systems else "open"
    dot = '<svg class="in" width="18" height="18" aria-hidden="true"><circle class="{}" cx="9" cy="9" r="{}"/></svg>'
    return format_html(dot, mark, f"{radius:.1f}")
