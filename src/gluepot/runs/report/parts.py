"""The parts of a suite's section as HTML: scores, confusion, parity, items, calibration."""

from collections.abc import Sequence
from itertools import groupby

from gluepot.runs.report import Section
from gluepot.runs.report.confusion import Confusion
from gluepot.runs.report.curves import reliability_plot
from gluepot.runs.report.items import Given, Item, TaskItems
from gluepot.runs.report.markup import Html, details, el, join, number, span, table
from gluepot.runs.report.marks import Key, labelled, legend
from gluepot.runs.report.plots import score_plot
from gluepot.runs.report.scores import Cell, Row

LEVELS = 10
"""Shades of a heat map."""


def score_part(section: Section, keys: Sequence[Key]) -> Html:
    """The plot, the table behind it, and the table of reported values."""
    mine = [keys[number] for number in section.systems]
    ranking = [row for row in section.rows if row.primary]
    title = f"Scores on {section.title}, {section.split}, of {', '.join(key.full_name for key in mine)}; the table below has the numbers"
    marks = [one for row in ranking for one in row.reported]
    figure = el(
        "figure",
        legend(mine, bool(marks), any(one.wrong for one in marks)),
        score_plot(ranking, mine, title),
        el("figcaption", "Each task by the metric that ranks it, with 95 % intervals."),
    )
    rows = [_score_row(row) for row in section.rows]
    numbers = table("Scores with 95 % intervals; metrics that rank are bold", ["Task", "Metric", "n", *map(labelled, mine)], rows)
    return el("div", figure, details("Table", numbers), _reported_part(section), _overall_note(section))


def _score_row(row: Row) -> list[object]:
    metric = el("b", row.metric) if row.primary else row.metric
    counts = sorted({cell.n for cell in row.cells if cell})
    unit = "tasks" if row.metric == "mean" else ""
    return [row.title, metric, f"{'–'.join(f'{n:,}' for n in counts)} {unit}".strip(), *map(score_cell, row.cells)]


def score_cell(cell: Cell | None) -> Html:
    """Value, spread between seeds, interval, and the value that a paper prints for the same model."""
    if cell is None:
        return el("td", "not answered", class_="none")
    if cell.value is None:
        return el("td", "–", el("small", cell.reason or ""), class_="none")
    spread = f" ± {number(cell.spread)}" if cell.spread is not None else ""
    reported = el("small", f"reported {number(cell.reported)}") if cell.reported is not None else None
    return el("td", f"{number(cell.value)}{spread}", el("small", span(cell.low, cell.high)), reported, class_="value")


def _reported_part(section: Section) -> Html | None:
    rows = [row for row in section.rows if row.reported]
    if not rows:
        return None
    models = dict.fromkeys(one.model for row in rows for one in row.reported)
    by_row = [{one.model: one for one in row.reported} for row in rows]
    wrong = dict.fromkeys(one.wrong for row in rows for one in row.reported if one.wrong)
    notes = {reason: place for place, reason in enumerate(wrong, start=1)}
    body = []
    for model in models:
        cells = []
        for found in by_row:
            one = found.get(model)
            note = el("sup", f"†{notes[one.wrong]}") if one and one.wrong else None
            cells.append(el("td", number(one.value), note, class_="value") if one else el("td", "", class_="none"))
        body.append([el("bdi", model), *cells])
    sources = "; ".join(dict.fromkeys(one.source for row in rows for one in row.reported))
    head = ["Model", *(join([row.title, el("small", row.metric)]) for row in rows)]
    listed = [el("li", f"†{place} {reason}") for reason, place in notes.items()] + [el("li", remark) for remark in section.remarks]
    return details("Reported results", table(f"As printed, not computed here: {sources}", head, body), el("ul", *listed, class_="notes") if listed else None)


def _overall_note(section: Section) -> Html | None:
    return el("p", section.note, class_="note") if section.note and any(row.metric == "mean" for row in section.rows) else None


def parity_part(section: Section, keys: Sequence[Key]) -> Html:
    rows = [[labelled(keys[one.system]), one.title, score_cell(one.score), score_cell(one.parity), f"{one.parity.n:,}"] for one in section.parity]
    metric = section.parity[0].metric
    return table(
        "A system that always gives the same answer has perfect parity: read both numbers",
        ["System", "Task", metric, "gender-parity", "groups"],
        rows,
    )


def confusion_part(section: Section, keys: Sequence[Key]) -> Html:
    """All matrices, those of one task side by side."""
    parts = [el("p", "Rows are gold labels, columns predicted ones: how many, and which share of the row.", class_="note")]
    for title, group in groupby(section.confusions, key=lambda one: one.title):
        parts.append(el("h4", title))
        parts.append(el("div", *(_matrix(one, keys[one.system]) for one in group), class_="side"))
    return join(parts)


def _matrix(one: Confusion, key: Key) -> Html:
    rows = []
    for label, counts in zip(one.rows, one.counts, strict=True):
        total = sum(counts)
        shares = [count / total if total else 0.0 for count in counts]
        cells = [shaded(share, join([f"{count:,}", el("small", f"{share:.0%}")])) for count, share in zip(counts, shares, strict=True)]
        rows.append([label, *cells, f"{total:,}"])
    return table(labelled(key), ["gold", *one.columns, "all"], rows, class_="matrix")


def shaded(share: float, content: object) -> Html:
    """A cell of a heat map; its text carries the number."""
    return el("td", content, class_=f"h{round(min(max(share, 0.0), 1.0) * LEVELS)}")


def items_part(tasks: Sequence[TaskItems], keys: Sequence[Key]) -> Html:
    return join(details(join([el("b", one.title), f": {one.summary}"]), _items_table(one, keys)) for one in tasks)


def _items_table(one: TaskItems, keys: Sequence[Key]) -> Html:
    head = ["Item", "Text", "Gold", *(labelled(keys[given.system]) for given in one.items[0].given)]
    return table(f"{one.title}: {len(one.items)} items", head, [_item_row(item, one.language) for item in one.items], class_="items")


def _item_row(item: Item, language: str) -> list[object]:
    lang = language if language != "mul" else None
    texts = el("td", *(el("p", text, dir="auto") for text in item.texts), class_="text", lang=lang)
    return [item.id, texts, el("td", item.gold or "not published", dir="auto"), *(_given(given) for given in item.given)]


def _given(given: Given) -> Html:
    sign = {True: el("span", "✓ ", class_="right", title="right"), False: el("span", "✗ ", class_="wrong", title="wrong"), None: None}[given.right]
    return el("td", sign, el("bdi", given.text))


def calibration_part(section: Section, keys: Sequence[Key]) -> Html:
    figures = []
    for curve in section.calibration:
        key = keys[curve.system]
        bins = [[f"{b.low:.1f} to {b.high:.1f}", f"{b.n:,}", number(b.confidence), number(b.accuracy)] for b in curve.bins]
        numbers = table(f"{curve.title}: answers by confidence", ["Confidence", "n", "mean confidence", "accuracy"], bins)
        caption = el("figcaption", el("b", curve.title), " ", labelled(key), f" ECE {number(curve.error)}, n = {curve.n:,}")
        figures.append(el("figure", caption, reliability_plot(curve, key), details("Table", numbers), class_="curve"))
    return el("div", *figures, class_="side")
