"""Coverage table of the front page: the tests by task type and language, with their number of systems."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from django.utils.html import format_html
from django.utils.safestring import SafeString

from gluepot.board.analysis.finding_tests import ScoredTask, best_test

SMALLEST, LARGEST = 2.5, 8.0
"""Radii of dots."""


@dataclass(frozen=True)
class CoveredType:
    """A task type with its most populated test in each language, if any."""

    label: str
    tests: list[ScoredTask | None]


def coverage(places: Sequence[ScoredTask], types: dict[str, str], languages: Iterable[str]) -> list[CoveredType]:
    """Return one row per task type, with one column per language."""
    codes = list(languages)
    return [CoveredType(label, [best_test(places, name, code) for code in codes]) for name, label in types.items()]


def draw_coverage(rows: Sequence[CoveredType]) -> list[tuple[str, list[tuple[ScoredTask | None, SafeString]]]]:
    """Draw a dot per test: its area is proportional to its systems, filled if at least half of their scores were computed here."""
    most = max((test.systems for row in rows for test in row.tests if test), default=1)
    return [(row.label, [(test, draw_dot(test, most) if test else SafeString("")) for test in row.tests]) for row in rows]


def draw_dot(test: ScoredTask, most: int) -> SafeString:
    radius = max(SMALLEST, LARGEST * sqrt(test.systems / most))
    mark = "pt" if 2 * test.recomputed >= test.systems else "open"
    dot = '<svg class="in" width="18" height="18" aria-hidden="true"><circle class="{}" cx="9" cy="9" r="{}"/></svg>'
    return format_html(dot, mark, f"{radius:.1f}")
