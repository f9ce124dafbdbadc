"""The axis on which a table of standings draws its overall scores, and what a legend says of it."""

from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from gluepot.board.drawing.marks import Axis, make_axis
from gluepot.board.standings.aggregates import AGGREGATES
from gluepot.board.standings.record import RANKED, StandingsPage
from gluepot.board.templatetags.shown import decimal


def axis_of(page: StandingsPage) -> Axis | None:
    """The axis of the overall column; none where it is no score."""
    if not AGGREGATES[page.aggregate].score:
        return None
    ranked = [row for row in page.section(RANKED) if row.overall is not None]
    ends = [end for row in ranked for end in (row.overall_low, row.overall_high) if end is not None]
    return make_axis([row.overall for row in ranked if row.overall is not None], ends)


def axis_marks(page: StandingsPage) -> dict[str, Any]:
    """What the head of the table and its legend need: numbers, whether somebody is off the axis, the visitor's decimal mark."""
    axis = axis_of(page)
    shown = [end for row in page.rows for end in (row.overall_low, row.overall, row.overall_high) if end is not None] if axis else []
    off = axis is not None and any(not axis.low <= end <= axis.high for end in shown)
    return {"scale": scale(axis) if axis else "", "off_axis": off, "mark": decimal(0.5)[1]}


def scale(axis: Axis) -> SafeString:
    """The numbers of the axis in the head of the column."""
    texts = (
        (mark_safe(' class="odd"') if number % 2 else "", axis.at(tick), decimal(100 * tick, axis.digits))
        for number, tick in enumerate(axis.ticks)
    )
    ticks = format_html_join("", '<text{} x="{}%" y="11">{}</text>', texts)
    return format_html('<svg class="scale" width="100%" height="15" aria-hidden="true">{}</svg>', ticks)
