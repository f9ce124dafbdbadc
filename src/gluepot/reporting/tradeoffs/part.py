"""Quality against cost as HTML: the plot, in both orientations, and its table."""

from collections.abc import Callable, Sequence

from gluepot.efficiency.figures.tradeoffs import MeasuredPoint, RangedFigure, Tradeoff
from gluepot.reporting.html.markup import Html, el, join, number, score, scroll, span, table
from gluepot.reporting.tradeoffs.bubbles import Bubble, ErrorBar, PlotAxis, bubble_plot

STANDS = {"on": "on the front", "open": "may be on it", "beaten": "beaten"}
NOTE = (
    "Each disc is a model, and its area is the memory. The stepped line is the Pareto front of quality and throughput. Solid disc: no "
    "other model is at least as good on quality, throughput and memory and better on one. Dashed disc: another one is, but within the 95 % "
    "intervals (the lines through the discs). Dotted disc: beaten. Only figures from the same kind of machine share a plot."
)


def tradeoffs_part(tradeoffs: Sequence[Tradeoff]) -> Html:
    """Return all plots, one below the other; their axes are swapped together."""
    swap = el("p", el("label", el("input", type="checkbox", class_="swap"), " Swap the axes"))
    return el("div", el("p", NOTE, class_="note"), swap, *(_tradeoff(one) for one in tradeoffs), class_="tradeoffs")


def _tradeoff(one: Tradeoff) -> Html:
    what = f"Mean of {', '.join(one.tasks)}" if len(one.tasks) > 1 else one.tasks[0]
    where = f"{', '.join(part for part in (one.suite, one.split) if part)}; measured on {one.profile or 'an unknown machine'}"
    lacking = "; ".join(f"{model} ({', '.join(tasks)})" for model, tasks in one.lacking.items())
    missing = el("p", f"Not shown, because they lack a score, throughput or memory: {lacking}.", class_="note") if lacking else None
    if not one.points:
        return join([el("h3", what), el("p", where, class_="note"), missing])
    plots = [
        el("figure", scroll(_plot(one, what, swapped), f"Plot: {what}"), class_="swapped" if swapped else "straight")
        for swapped in (False, True)
    ]
    return join([el("h3", what), el("p", where, class_="note"), *plots, _numbers(one), missing])


def _plot(one: Tradeoff, what: str, swapped: bool) -> Html:
    quality = PlotAxis("Quality, × 100", lambda value: number(value, 0))
    speed = PlotAxis("Throughput: records/s, logarithmic", rate, logarithmic=True)
    bubbles = []
    for point in one.points:
        reaches = (_reach(point.quality, 100), _reach(point.throughput))
        x, y = reversed(reaches) if swapped else reaches
        bubbles.append(Bubble(point.model, "", words(point), x, y, point.memory_gib.value, point.frontier))
    axes = (speed, quality) if swapped else (quality, speed)
    return bubble_plot(bubbles, *axes, f"{what}: quality, throughput and memory", "The table below says the same.")


def _reach(figure: RangedFigure, times: float = 1) -> ErrorBar:
    return ErrorBar(*(None if end is None else times * end for end in figure.ends))  # type: ignore[arg-type]


def words(point: MeasuredPoint) -> str:
    """Describe a point for screen readers."""
    told = f"{point.model}: quality {score(point.quality.value)}, throughput {rate(point.throughput.value)}/s"
    return f"{told}, {number(point.memory_gib.value, 2)} GiB; Pareto front: {STANDS[point.frontier]}"


def _numbers(one: Tradeoff) -> Html:
    rows = [
        [
            el("bdi", point.model),
            _cell(score(point.quality.value), span(*point.quality.ends[1:])),
            _cell(rate(point.throughput.value), _between(point.throughput, rate)),
            _cell(number(point.memory_gib.value, 2), _between(point.memory_gib, lambda value: number(value, 2))),
            STANDS[point.frontier],
            el("td", "; ".join(point.notes), class_="notes"),
        ]
        for point in one.points
    ]
    head = ["Model", "Quality × 100", "Throughput, records/s", "Memory, GiB", "Pareto front", "Notes"]
    return table("The same as numbers, with 95 % intervals", head, rows, class_="facts")


def _cell(value: str, interval: str) -> Html:
    return el("td", value, el("small", interval) if interval else None, class_="value")


def _between(figure: RangedFigure, write: Callable[[float], str]) -> str:
    return "" if figure.low is None or figure.high is None else f"{write(figure.low)} to {write(figure.high)}"


def rate(value: float) -> str:
    """Format records per second: whole from 100 on, otherwise to three significant digits.

    >>> rate(12345.6), rate(47.25), rate(0.5)
    ('12,346', '47.2', '0.5')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
