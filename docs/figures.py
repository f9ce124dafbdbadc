"""Draw the figures of the documentation with gluepot; `--check` only reports whether they are up to date.

They are drawn from the bundled suite, from formulas and from tables of the pages, with fixed seeds, so that they are reproducible.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from gluepot.library.evaluating import evaluate as run_model
from gluepot.reporting import Report, make_report
from gluepot.reporting.html.curves import reliability_plot
from gluepot.reporting.html.markup import Html, el, join
from gluepot.reporting.html.plots import ForestAxis, draw_row, draw_scale
from gluepot.reporting.marks import Key, legend_mark, make_keys
from gluepot.statistics.power import detectable_accuracy

DOCS = Path(__file__).parent
FIGURES = DOCS / "figures"
MODELS = ("tfidf-logistic", "tfidf-forest", "tfidf-tree")
TASKS = ("stance-sv", "entailment-ru", "entities-da", "questions-da", "coreference-eu")
WIDTH, LABEL = 720, 190
SIZES = (50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""Numbers of items on the axis of detectable differences, equally spaced."""


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = []
    for name, drawing in figures():
        path = FIGURES / name
        text = f"{drawing}\n"
        if check and (not path.is_file() or path.read_text(encoding="utf-8") != text):
            stale.append(path)
        elif not check:
            FIGURES.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"{path.relative_to(DOCS.parent)} is out of date: run `python docs/figures.py`.", file=sys.stderr)
    return 1 if stale else 0


def figures() -> Iterator[tuple[str, Html]]:
    report = evaluate()
    yield "scores.svg", scores(report)
    yield "reliability.svg", reliability(report)
    yield "detectable.svg", detectable()
    yield "coverage.svg", coverage((DOCS / "decisions" / "intervals.md").read_text(encoding="utf-8"))


def evaluate() -> Report:
    """Evaluate baselines on some tasks of the bundled suite."""
    with TemporaryDirectory() as place:
        runs = [Path(place) / model for model in MODELS]
        for model, run in zip(MODELS, runs, strict=True):
            run_model(model, "pocket", tasks=TASKS, out=run)
        return make_report(runs)


def picture(title: str, width: int, height: int, *children: object) -> Html:
    """Return a standalone SVG in the colours of reports and of the board."""
    style = (files("gluepot.reporting") / "page.css").read_text(encoding="utf-8")
    colours = "".join(
        re.findall(r"^:root \{.*?^\}|^@media screen and \(prefers-color-scheme: dark\) \{\n  :root.*?^\}", style, re.M | re.S)
    )
    rules = "".join(
        line for line in style.splitlines() if re.match(r"(svg|\.(grid|mark|c0|c4|whisker|majority|frame|letter)|polyline)\b", line)
    )
    text = "svg text { font-family: -apple-system, 'Segoe UI', Roboto, sans-serif; } svg .strong { fill: var(--ink); font-size: 13px; }"
    return el(
        "svg", el("title", title), el("style", Html(" ".join((colours + rules + text).split()))), *children,
        xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}", width=width, height=height, role="img",
    )  # fmt: skip


def scores(report: Report) -> Html:
    """Plot a report: a row per task, a mark with its interval per system."""
    (section,) = report.sections
    keys = make_keys(report.systems, section.majority)
    rows = [row for row in section.rows if row.primary and row.task in TASKS]
    axis = ForestAxis([cell.low for row in rows for cell in row.cells if cell and cell.low is not None])
    drawn, y = [_key(keys), _at(LABEL, 40, WIDTH - LABEL, draw_scale(axis))], 64
    for row in rows:
        drawing, height = draw_row(row, keys, axis)
        counts = {cell.n for cell in row.cells if cell}
        label = el("text", row.label, x=0, y=y + height / 2, class_="strong")
        small = el("text", f"{max(counts)} items", x=0, y=y + height / 2 + 15)
        drawn += [label, small, _at(LABEL, y, WIDTH - LABEL, drawing)]
        y += height
    return picture("Scores of three baselines on five tasks of the bundled suite, with 95 % intervals", WIDTH, y, *drawn)


def _key(keys: Sequence[Key]) -> Html:
    names = [
        join([_at(180 * n, 2, 16, legend_mark(key)), el("text", key.name, x=180 * n + 22, y=15, class_="strong")])
        for n, key in enumerate(keys)
    ]
    return join(names)


def _at(x: float, y: float, width: float, drawing: Html) -> Html:
    return el("svg", drawing, x=x, y=y, width=width, overflow="visible")


def reliability(report: Report) -> Html:
    """Plot a system's accuracy against its confidence."""
    (section,) = report.sections
    curve = next(one for one in section.calibration if one.task == "stance-sv" and report.systems[one.system].name == "tfidf-logistic")
    key = make_keys(report.systems, section.majority)[curve.system]
    return picture("Reliability diagram of tfidf-logistic on a sentiment task", 280, 270, _at(0, 0, 280, reliability_plot(curve, key)))


def detectable() -> Html:
    """Plot the smallest difference in accuracy that a test set detects four times in five."""
    left, top, width, height, most = 60, 16, 560, 220, 0.2
    step = width / (len(SIZES) - 1)
    points = [(left + step * n, top + height * (1 - detectable_accuracy(size) / most)) for n, size in enumerate(SIZES)]
    grid = []
    for tick in range(0, 25, 5):
        y = top + height * (1 - tick / 100 / most)
        grid.append(el("line", x1=left, x2=left + width, y1=f"{y:.1f}", y2=f"{y:.1f}", class_="grid"))
        grid.append(el("text", tick, x=left - 8, y=f"{y + 4:.1f}", text_anchor="end"))
    labels = [
        join([
            el("text", f"{size:,}", x=f"{x:.1f}", y=top + height + 18, text_anchor="middle"),
            el("text", f"{100 * detectable_accuracy(size):.1f}", x=f"{x:.1f}", y=f"{y - 10:.1f}", text_anchor="middle", class_="strong"),
            el("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=4, class_="mark c0"),
        ])
        for size, (x, y) in zip(SIZES, points, strict=True)
    ]  # fmt: skip
    line = el("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), class_="curve c0")
    names = [
        el("text", "items in the test set", x=left + width / 2, y=top + height + 40, text_anchor="middle"),
        el("text", "points of accuracy", x=14, y=top + height / 2, text_anchor="middle", transform=f"rotate(-90 14 {top + height / 2:g})"),
    ]
    title = "The smallest difference in accuracy that is detected four times in five, by the number of test items"
    return picture(title, left + width + 40, top + height + 52, *grid, line, *labels, *names)


def coverage(page: str) -> Html:
    """Plot the coverage of two kinds of 95 % intervals by metric: mean, lowest and highest, from the table of the page."""
    found = re.findall(r"^\| (percentile bootstrap|here) \| ([a-z0-9-]+) \| (\S+) \| (\S+) \| (\S+) \|", page, re.MULTILINE)
    metrics = [metric for method, metric, *_ in found if method == "here"]
    values = {(method, metric): tuple(map(float, figures)) for method, metric, *figures in found}
    left, width, y = 130, 540, 60

    def x(value: float) -> float:
        return round(left + width * value, 1)

    bottom = y + 38 * len(metrics)
    drawn = [el("line", x1=x(v / 5), x2=x(v / 5), y1=y - 10, y2=bottom, class_="grid") for v in range(6)]
    drawn += [el("text", 20 * v, x=x(v / 5), y=y - 16, text_anchor="middle") for v in range(6)]
    drawn.append(el("line", x1=x(0.95), x2=x(0.95), y1=y - 10, y2=bottom, class_="majority"))
    methods = {"percentile bootstrap": Key(1, "percentile bootstrap"), "here": Key(0, "gluepot")}
    for n, (_method, key) in enumerate(methods.items()):
        drawn += [_at(200 * n, 2, 16, legend_mark(key)), el("text", key.name, x=200 * n + 22, y=15, class_="strong")]
    drawn.append(el("text", "mean, lowest and highest coverage (%); grey: 95", x=380, y=15))
    for metric in metrics:
        drawn.append(el("text", metric, x=0, y=y + 18, class_="strong"))
        for n, (method, key) in enumerate(methods.items()):
            mean, low, high = values[method, metric]
            at = y + 8 + 14 * n
            drawn += [
                el("line", x1=x(low), x2=x(high), y1=at, y2=at, class_=f"whisker {key.tone}"),
                _at(x(mean), at - 8, 1, el("svg", legend_mark(key), x=-8, overflow="visible")),
            ]
        y += 38
    return picture("Coverage of nominal 95 % intervals in simulation, by metric and method", left + width + 20, bottom + 6, *drawn)


if __name__ == "__main__":
    raise SystemExit(main())
