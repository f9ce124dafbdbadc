"""Tables with shaded cells: confusion matrices and the heat map of diagnostics."""

from collections.abc import Sequence
from itertools import groupby

from gluepot.plurals import pluralize
from gluepot.reporting import Section
from gluepot.reporting.confusion import TaskConfusion
from gluepot.reporting.diagnostics import DiagnosticRow, Heat
from gluepot.reporting.html.markup import Html, details, el, join, number, score, scroll, table
from gluepot.reporting.html.parts import score_cell
from gluepot.reporting.marks import Key, labelled
from gluepot.reporting.scores import ReportCell

LEVELS = 10


def confusion_part(section: Section, keys: Sequence[Key]) -> Html:
    """Return all matrices, those of one task side by side."""
    parts = [el("p", "Rows are gold labels, columns predicted labels: counts, and their share of the row.", class_="note")]
    for title, group in groupby(section.confusions, key=lambda one: one.title):
        parts.append(el("h4", title))
        parts.append(el("div", *(_matrix(one, keys[one.system]) for one in group), class_="side"))
    return join(parts)


def _matrix(one: TaskConfusion, key: Key) -> Html:
    rows = []
    for label, counts in zip(one.rows, one.counts, strict=True):
        total = sum(counts)
        shares = [count / total if total else 0.0 for count in counts]
        cells = [shaded(share, join([f"{count:,}", el("small", f"{share:.0%}")])) for count, share in zip(counts, shares, strict=True)]
        rows.append([label, *cells, f"{total:,}"])
    return table(labelled(key), ["gold", *one.columns, "all"], rows, class_="matrix")


def shaded(share: float, content: object, more: str = "") -> Html:
    """Return a cell of a heat map; its text contains the number."""
    return el("td", content, class_=f"h{round(min(max(share, 0.0), 1.0) * LEVELS)}{more}")


def heat_part(heat: Heat, keys: Sequence[Key]) -> Html:
    """Return the map of shades and numbers, and a table with the intervals."""
    titles = dict.fromkeys(f"{column.title}, {column.split}: {column.metric}" for column in heat.columns)
    widths = {title: sum(title == f"{c.title}, {c.split}: {c.metric}" for c in heat.columns) for title in titles}
    groups = el("tr", el("td", ""), *(el("th", title, scope="colgroup", colspan=width) for title, width in widths.items()))
    systems = [labelled(keys[column.system]) for column in heat.columns]
    second = el("tr", el("th", "Category", scope="col"), *(el("th", name, scope="col") for name in systems))
    starts = [n for n in range(1, len(heat.columns)) if heat.columns[n].title != heat.columns[n - 1].title]
    body = [
        el("tr", _category(row), *(_shade(cell, n in starts) for n, cell in enumerate(row.cells)), class_=None if row.fine else "coarse")
        for row in heat.rows
    ]
    caption = el("caption", el("span", "Scores × 100: the darker, the better; bold rows are whole categories"))
    map_ = el("table", caption, el("thead", groups, second), el("tbody", *body), class_="heat")
    head = ["Category", *(join([column.title, " ", name]) for column, name in zip(heat.columns, systems, strict=True)), "published"]
    rows = [[_category(row), *map(_with_n, row.cells), _range(row)] for row in heat.rows]
    name = " and ".join(dict.fromkeys(column.title for column in heat.columns))
    return join(
        [el("h3", name), scroll(map_, name), details("Table", table(f"{name}: scores × 100 with 95 % intervals and n", head, rows))]
    )


def _category(row: DiagnosticRow) -> Html:
    return el("th", row.fine or row.coarse, scope="row", class_="fine" if row.fine else None)


def _shade(cell: ReportCell | None, start: bool) -> Html:
    more = " start" if start else ""
    if cell is None or cell.value is None:
        return el("td", "" if cell is None else "–", class_=f"none{more}", title=cell.reason if cell else None)
    return shaded(cell.value, number(100 * cell.value, 0), more)


def _with_n(cell: ReportCell | None) -> Html:
    if cell is None:
        return el("td", "", class_="none")
    shown = score_cell(cell)
    return Html(shown.removesuffix("</td>") + el("small", f"n = {cell.n:,}") + "</td>")


def _range(row: DiagnosticRow) -> str:
    if row.reported is None:
        return ""
    low, high, models = row.reported
    return f"{score(low)} to {score(high)} ({pluralize(models, 'model')})"
