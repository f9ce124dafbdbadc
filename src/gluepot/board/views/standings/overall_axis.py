"""Axis of the overall scores in the standings table, and its legend."""

from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from gluepot.board.drawing.marks import Axis, make_axis
from gluepot.board.standings.aggregates import AGGREGATES
from gluepot.board.standings.record import RANKED, StandingsPage
from gluepot.board.templatetags.shown import decimal


def axis_of(page: StandingsPage) -> Axis | None:
    """Return the axis of the overall column; None if the overall value is not a score."""
    if not AGGREGATES[page.aggregate].score:
        return None
    ranked = [row for row in page.section(RANKED) if row.overall is not None]
    ends = [end for row in ranked for end in (row.overall_low, row.overall_high) if end is not None]
    return make_axis([row.overall for row in ranked if row.overall is not None], ends)


def axis_marks(page: StandingsPage) -> dict[str, Any]:
    """Return the context of header and legend: tick labels, whether a value is off the axis, the locale's decimal mark."""
    axis = axis_of(page)
    shown = [end for row in page.rows for end in (row.overall_low, row.overall, row.overall_high) if end is not None] if axis else []
    off = axis is not None and any(not axis.low <= end <= axis.high for end in shown)
    return {"scale": scale(axis) if axis else "", "off_axis": off, "mark": decimal(0.5)[1]}


def scale(axis: Axis) -> SafeString:
    """Draw the tick labels of the axis in the column header."""
    texts = (
        (mark_safe(' class="odd"') if number % 2 else "", axis.at(tick), decimal(100 * tick, axis.digits))
        for number, tick in enumerate(axis.ticks)
    )
    ticks = format_html_join("", '<text{} x="{}%" y="11">{}</text>', texts)
    return format_html('<svg class="scale" width="100%" height="15" aria-hidden="true">{}</svg>', ticks)
