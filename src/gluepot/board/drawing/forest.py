"""Forest plots: differences with their intervals on a common axis around zero."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from gluepot.board.drawing.marks import Axis, symmetric_axis
from gluepot.board.templatetags.shown import decimal

HEIGHT = 28


@dataclass(frozen=True)
class ForestRow:
    """Difference with its interval, the smallest detectable difference, and the winner: `a`, `b` or empty."""

    low: float
    middle: float
    high: float
    detectable: float | None
    winner: str


def draw_forest(rows: Sequence[ForestRow | None]) -> tuple[SafeString, list[SafeString]]:
    """Return the axis and one drawing per row, empty where there is no interval; the numbers are also shown as text beside it.

    >>> scale, drawings = draw_forest([ForestRow(-0.1, 0.1, 0.3, 0.2, ""), None])
    >>> "+20" in scale, [bool(drawing) for drawing in drawings]
    (True, [True, False])
    """
    reach = max((max(abs(row.low), abs(row.middle), abs(row.high)) for row in rows if row), default=0.0)
    axis = symmetric_axis(reach)
    return _draw_scale(axis), [_draw(row, axis) if row else SafeString("") for row in rows]


def _draw_scale(axis: Axis) -> SafeString:
    texts = ((axis.at(tick), f"{'+' if tick > 1e-9 else ''}{decimal(100 * tick, axis.digits)}") for tick in axis.ticks)
    ticks = format_html_join("", '<text x="{}%" y="12" text-anchor="middle">{}</text>', texts)
    return format_html('<svg class="scale" width="100%" height="16" aria-hidden="true">{}</svg>', ticks)


def _draw(row: ForestRow, axis: Axis) -> SafeString:
    zone = SafeString("")
    if row.detectable:
        start, end = axis.at(max(-row.detectable, axis.low)), axis.at(min(row.detectable, axis.high))
        zone = format_html('<rect class="zone" x="{}%" width="{}%" y="9" height="10" rx="2"/>', start, round(end - start, 1))
    return format_html(
        '<svg class="forest {}" width="100%" height="{h}" aria-hidden="true" focusable="false">{}'
        '<line class="zero" x1="{zero}%" x2="{zero}%" y1="0" y2="{h}"/><line class="interval" x1="{}%" x2="{}%" y1="{y}" y2="{y}"/>'
        '<circle cx="{}%" cy="{y}" r="4.5"/></svg>',
        row.winner or "even",
        zone,
        axis.at(row.low),
        axis.at(row.high),
        axis.at(row.middle),
        h=HEIGHT,
        zero=axis.at(0.0),
        y=HEIGHT // 2,
    )
