"""Scores as HTML: the plot, the table of all metrics, published values, gender parity."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from gluepot.reporting import Section
from gluepot.reporting.findings.leaders import TaskLeader
from gluepot.reporting.html.markup import Html, el, join, score, span, table
from gluepot.reporting.html.plots import Findings, score_plot
from gluepot.reporting.marks import Key, labelled, legend
from gluepot.reporting.scores import OVERALL, Mark, ReportCell, ReportRow
from gluepot.runs.scores.coverage import percent


def score_part(section: Section, keys: Sequence[Key]) -> Html:
    """Return the plot of the ranking scores."""
    mine = [keys[number] for number in section.systems]
    ranking = [_as_ranked(row) for row in section.rows if row.primary]
    competing = [place for place, key in enumerate(mine) if not key.baseline] or list(range(len(mine)))
    ranking = [row for row in ranking if _has_value(row, competing if row.task == OVERALL else range(len(mine)))]
    marks = [one for row in ranking for one in row.reported]
    findings = Findings({one.task: one for one in section.leaders}, {one.task: one for one in section.published})
    title = f"Scores on {section.title}, {section.split}, with 95 % intervals"
    shaded = any(one.tied or one.behind for one in section.leaders)
    key = legend(mine, bool(marks), any(one.wrong for one in marks), shaded=shaded)
    note = el("p", section.note, class_="note") if section.note and any(row.task == OVERALL for row in ranking) else None
    return el("div", key, score_plot(ranking, mine, findings, title), note)


def _has_value(row: ReportRow, places: Iterable[int]) -> bool:
    return any((cell := row.cells[place]) is not None and cell.value is not None for place in places)


def numbers_part(section: Section, keys: Sequence[Key]) -> Html:
    """Return the table of every metric of every task."""
    mine = [keys[number] for number in section.systems]
    leaders = {one.task: one for one in section.leaders}
    rows = [_score_row(row, leaders.get(row.task) if row.primary else None) for row in section.rows]
    shades = ", and the best score; shaded: cannot be told apart from the best" if leaders else ""
    caption = f"Scores × 100 with 95 % intervals. Bold: the metric that ranks{shades}"
    return table(caption, ["Task", "Metric", "n", *map(labelled, mine)], rows, class_="scores")


def _as_ranked(row: ReportRow) -> ReportRow:
    """Return the row with the values that rank: over all items, and none if too few were answered."""
    return replace(row, cells=[cell and cell.ranking for cell in row.cells])


def _score_row(row: ReportRow, leader: TaskLeader | None = None) -> list[object]:
    metric = el("b", row.metric) if row.primary else row.metric
    counts = sorted({cell.n for cell in row.cells if cell})
    unit = "tasks" if row.metric == "mean" else ""
    shown = el("td", f"{' or '.join(f'{n:,}' for n in counts)} {unit}".strip(), class_="value")
    return [row.title, metric, shown, *(score_cell(cell, _standing(leader, place)) for place, cell in enumerate(row.cells))]


def _standing(leader: TaskLeader | None, place: int) -> str:
    """Return `best`, `tied`, or an empty string."""
    if leader is None or not (leader.tied or leader.behind):
        return ""
    return "best" if place == leader.best else "tied" if place in leader.tied else ""


def score_cell(cell: ReportCell | None, standing: str = "") -> Html:
    """Return value, spread between seeds, interval, and the published value of the same model."""
    if cell is None:
        return el("td", "not answered", class_="none")
    if cell.value is None:
        return el("td", "–", el("small", cell.reason or ""), class_="none")
    spread = f" ± {score(cell.spread)}" if cell.spread is not None else ""
    note = el("small", _coverage(cell), title=cell.unranked) if cell.note else None
    value = f"{score(cell.value)}{spread}"
    return el(
        "td",
        el("b", value) if standing == "best" else value,
        el("small", span(cell.low, cell.high)),
        note,
        _beside(cell.reported),
        class_="value tie" if standing else "value",
        title="cannot be told apart from the best" if standing == "tied" else None,
    )


def _coverage(cell: ReportCell) -> str:
    """Return the caveat of a value, with scores in the page's format."""
    if cell.coverage is None or cell.all_items is None or cell.unranked:
        return cell.note
    return f"{percent(cell.coverage)} answered; {score(cell.all_items.value)} over all items, used for ranking"


def _beside(reported: Mark | None) -> Html | None:
    if reported is None:
        return None
    return el("small", f"published {score(reported.value)}", " (known to be wrong)" if reported.wrong else None, title=reported.wrong)


def reported_part(section: Section) -> Html:
    """Return the published values, models in rows and tasks in columns, with their known errors."""
    rows = [row for row in section.rows if row.reported]
    marks = [one for row in rows for one in row.reported]
    notes = {reason: place for place, reason in enumerate(dict.fromkeys(one.wrong for one in marks if one.wrong), start=1)}
    by_row = [{one.model: one for one in row.reported} for row in rows]
    body = [
        [el("bdi", model), *(_reported_cell(found.get(model), notes) for found in by_row)]
        for model in dict.fromkeys(one.model for one in marks)
    ]
    head = ["Model", *(join([row.title, el("small", row.metric)]) for row in rows)]
    sources = "; ".join(dict.fromkeys(one.source for one in marks))
    remarks = [*(f"†{place} {reason}" for reason, place in notes.items()), *section.remarks]
    listed = el("ul", *(el("li", remark) for remark in remarks), class_="notes") if remarks else None
    return join([table(f"Scores × 100 as published, not computed here: {sources}", head, body), listed])


def _reported_cell(one: Mark | None, notes: dict[str, int]) -> Html:
    if one is None:
        return el("td", "", class_="none")
    return el("td", score(one.value), el("sup", f"†{notes[one.wrong]}") if one.wrong else None, class_="value")


def parity_part(section: Section, keys: Sequence[Key]) -> Html:
    """Return both values of every system in one small table."""
    caption = "A system that always gives the same answer has perfect parity: read both numbers"
    rows = []
    for one in section.parity:
        rows.append([labelled(keys[one.system]), one.title, score_cell(one.score), score_cell(one.parity), f"{one.parity.n:,}"])
    return table(caption, ["System", "Task", section.parity[0].metric, "gender-parity", "Groups"], rows)
