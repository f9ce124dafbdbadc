"""SVG plots of scores with intervals and the best public score on a common scale, and its axis."""

from collections.abc import Sequence
from math import ceil, floor, log10

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from gluepot.board.templatetags.shown import decimal

MARKS = 5
"""Approximate number of labels on the axis."""


class ScorePlots:
    """Plots on a common scale, which spans the given values."""

    def __init__(self, values: Sequence[float]) -> None:
        self.low, self.high = min(values, default=0.0), max(values, default=1.0)

    def draw(self, value: float, low: float | None, high: float | None, best: float | None = None) -> SafeString:
        """Return a dot with its interval, or a ring without one. Hidden from screen readers: the numbers are in the text beside it.

        >>> ['class="pt"' in ScorePlots([0.0, 1.0]).draw(0.5, *ends) for ends in ((0.4, 0.6), (None, None))]
        [True, False]
        """
        ends = [self._place(one if one is not None else value) for one in (low, high, value)]
        ring = format_html('<circle class="ring" cx="{}%" cy="15" r="4.5"/>', self._place(best)) if best is not None else SafeString("")
        return format_html(
            '<svg class="score" height="30" aria-hidden="true" focusable="false">{}'
            '<line class="iv" x1="{}%" x2="{}%" y1="15" y2="15"/>{}<circle class="{}" cx="{}%" cy="15" r="4.5"/></svg>',
            format_html_join("", '<line class="tick" x1="{0}%" x2="{0}%" y1="0" y2="30"/>', ([self._place(one)] for one in self.marks)),
            ends[0],
            ends[1],
            ring,
            "ring" if low is None or high is None else "pt",
            ends[2],
        )

    def axis(self) -> SafeString:
        """Return the axis, for the table header."""
        shown = ((self._place(mark), decimal(100 * mark, 0 if self.step >= 0.01 else 1)) for mark in self.marks)
        marks = format_html_join("", '<text x="{}%" y="14" text-anchor="middle">{}</text>', shown)
        return format_html('<svg class="score" height="18" aria-hidden="true" focusable="false">{}</svg>', marks)

    @property
    def step(self) -> float:
        """Distance between two labels of the axis: one, two or five times a power of ten."""
        rough = ((self.high - self.low) or 1.0) / MARKS
        unit: float = 10.0 ** floor(log10(rough))
        return next(unit * times for times in (1, 2, 5, 10) if unit * times >= rough * 0.999)

    @property
    def marks(self) -> list[float]:
        """Round numbers within the scale, the labels of the axis.

        >>> [round(mark, 2) for mark in ScorePlots([0.1, 0.9]).marks]
        [0.2, 0.4, 0.6, 0.8]
        """
        first, last = ceil(self.low / self.step - 1e-9), floor(self.high / self.step + 1e-9)
        return [number * self.step for number in range(first, last + 1)]

    def _place(self, value: float) -> float:
        return round(4 + 92 * (value - self.low) / ((self.high - self.low) or 1.0), 2)
