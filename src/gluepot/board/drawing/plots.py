"""Bubble plots as safe markup for templates."""

from collections.abc import Sequence

from django.utils.safestring import SafeString, mark_safe

from gluepot.reporting.tradeoffs import bubbles
from gluepot.reporting.tradeoffs.bubbles import Bubble, ErrorBar, PlotAxis


def bubble_plot(points: Sequence[Bubble], x: PlotAxis, y: PlotAxis, title: str, description: str) -> SafeString:
    """Return the whole plot as safe markup."""
    return mark_safe(bubbles.bubble_plot(points, x, y, title, description))  # noqa: S308  what is drawn is escaped there


__all__ = ["Bubble", "ErrorBar", "PlotAxis", "bubble_plot"]
