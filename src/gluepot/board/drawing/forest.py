"""Differences with their intervals as small drawings on one common scale."""

from collections.abc import Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString

Bar = tuple[float | None, float | None, float | None]
"""Low, middle, high."""
WIDTH, HEIGHT, EDGE = 150, 20, 6


def draw_forest(bars: Sequence[Bar | None]) -> list[SafeString]:
    """One drawing a row; nothing where there is no interval. The numbers stand beside it, so readers of text miss nothing.

    >>> [bool(drawing) for drawing in draw_forest([(-0.1, 0.1, 0.3), None])]
    [True, False]
    """
    ends = [abs(end) for bar in bars if bar for end in bar if end is not None]
    reach = max(ends, default=0.0) or 1.0
    return [_draw(bar, reach) for bar in bars]


def _draw(bar: Bar | None, reach: float) -> SafeString:
    if bar is None or None in bar:
        return SafeString("")
    low, middle, high = (round(WIDTH / 2 + (WIDTH / 2 - EDGE) * (end or 0.0) / reach, 1) for end in bar)
    return format_html(
        '<svg class="forest" viewBox="0 0 {w} {h}" width="{w}" height="{h}" aria-hidden="true" focusable="false">'
        '<line class="zero" x1="{zero}" x2="{zero}" y1="0" y2="{h}"/><line class="interval" x1="{low}" x2="{high}" y1="{y}" y2="{y}"/>'
        '<circle cx="{middle}" cy="{y}" r="4"/></svg>',
        w=WIDTH,
        h=HEIGHT,
        zero=WIDTH / 2,
        y=HEIGHT / 2,
        low=low,
        middle=middle,
        high=high,
    )
