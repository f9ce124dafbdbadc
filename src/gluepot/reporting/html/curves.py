"""Calibration as HTML: reliability diagrams in SVG, each with its table."""

from collections.abc import Sequence
from itertools import groupby

from gluepot.reporting import Section
from gluepot.reporting.calibration import BINS, Bin, Reliability
from gluepot.reporting.html.markup import Html, details, el, join, number, table
from gluepot.reporting.marks import Key, labelled, mark

SIZE, EDGE, TOP, COUNTS = 200, 44, 8, 36
"""Pixels: the side of the square, the space left of it and above it, and the height of the fullest bin's bar."""


def reliability_plot(curve: Reliability, key: Key) -> Html:
    """Plot accuracy against confidence, which are equal on the dashed line. Bars: number of answers."""
    title = f"Reliability of {key.full_name} on {curve.title}: expected calibration error {number(curve.error)}"
    most = max(one.n for one in curve.bins)
    points = [(f"{_x(one.confidence):.1f}", f"{_y(one.accuracy):.1f}") for one in curve.bins]
    return el(
        "svg",
        el("title", title),
        *_frame(),
        *(_bar(one, most) for one in curve.bins),
        el("line", x1=_x(0), y1=_y(0), x2=_x(1), y2=_y(1), class_="even"),
        el("polyline", points=" ".join(f"{x},{y}" for x, y in points), class_=f"curve {key.tone}"),
        *(mark(key, x=x, y=y) for x, y in points),
        role="img",
        class_="square",
        viewBox=f"0 0 {SIZE + EDGE + 10} {SIZE + TOP + 38}",
    )


def _x(value: float) -> float:
    return EDGE + value * SIZE


def _y(value: float) -> float:
    return TOP + (1 - value) * SIZE


def _bar(one: Bin, most: int) -> Html:
    height = COUNTS * one.n / most
    return el("rect", x=f"{_x(one.low) + 1:.1f}", y=f"{_y(0) - height:.1f}", width=SIZE // BINS - 2, height=f"{height:.1f}", class_="count")


def _frame() -> list[Html]:
    parts = [el("rect", x=EDGE, y=TOP, width=SIZE, height=SIZE, class_="frame")]
    for value in (0, 0.5, 1):
        parts.append(el("text", f"{value:g}", x=_x(value), y=_y(0) + 15, text_anchor="middle", class_="tick"))
        parts.append(el("text", f"{value:g}", x=EDGE - 6, y=_y(value) + 4, text_anchor="end", class_="tick"))
    middle = _y(0.5)
    parts.append(el("text", "confidence", x=_x(0.5), y=_y(0) + 32, text_anchor="middle", class_="tick"))
    parts.append(el("text", "accuracy", x=10, y=middle, text_anchor="middle", class_="tick", transform=f"rotate(-90 10 {middle:g})"))
    return parts


def calibration_part(section: Section, keys: Sequence[Key]) -> Html:
    """Return all diagrams, those of one task side by side."""
    note = "On the dashed line, accuracy equals confidence. Bars: number of answers. ECE: expected calibration error."
    parts = [el("p", note, class_="note")]
    for title, group in groupby(section.calibration, key=lambda one: one.title):
        parts.append(el("h4", title))
        parts.append(el("div", *(_curve(one, keys[one.system]) for one in group), class_="side"))
    return join(parts)


def _curve(curve: Reliability, key: Key) -> Html:
    bins = [[f"{b.low:.1f} to {b.high:.1f}", f"{b.n:,}", number(b.confidence), number(b.accuracy)] for b in curve.bins]
    numbers = table("Answers by confidence", ["Confidence", "n", "Mean", "Accuracy"], bins)
    caption = el("figcaption", labelled(key), el("br"), f"ECE {number(curve.error)}, n = {curve.n:,}")
    return el("figure", caption, reliability_plot(curve, key), details("Table", numbers), class_="curve")
