"""Scores as HTML: the plot with its table, reported values, gender parity."""

from collections.abc import Sequence

from msgspec.structs import replace

from gluepot.reporting import Section
from gluepot.reporting.findings.leaders import TaskLeader
from gluepot.reporting.html.markup import Html, details, el, join, number, span, table
from gluepot.reporting.html.plots import score_plot
from gluepot.reporting.marks import Key, labelled, legend
from gluepot.reporting.scores import Mark, ReportCell, ReportRow


def score_part(section: Section, keys: Sequence[Key]) -> Html:
    """The plot, the table behind it, and the table of reported values."""
    mine = [keys[number] for number in section.systems]
    ranking = [_as_ranked(row) for row in section.rows if row.primary]
    ranking = [row for row in ranking if any(cell and cell.value is not None for cell in row.cells)]
    title = f"Scores on {section.title}, {section.split}, of {', '.join(key.full_name for key in mine)}; the table below has the numbers"
    marks = [one for row in ranking for one in row.reported]
    figure = el(
        "figure",
        legend(mine, bool(marks), any(one.wrong for one in marks)),
        score_plot(ranking, mine, title),
        el("figcaption", "Each task by the metric that ranks it, with 95 % intervals."),
    )
    head = ["Task", "Metric", "n", *map(labelled, mine)]
    leaders = {one.task: one for one in section.leaders}
    shown = [_score_row(row, leaders.get(row.task)) for row in section.rows if row.primary]
    ranking_table = table(
        "Scores that rank, with 95 % intervals. Bold: the best; shaded: cannot be told from it", head, shown, class_="scores"
    )
    every = [_score_row(row) for row in section.rows]
    numbers = table("Scores with 95 % intervals; metrics that rank are bold", head, every)
    return el("div", figure, ranking_table, details("All metrics", numbers), _reported_part(section), _overall_note(section))


def _as_ranked(row: ReportRow) -> ReportRow:
    """The row with what ranks in its cells: over all items, and nothing where too few were answered."""
    return replace(row, cells=[cell and cell.ranking for cell in row.cells])


def _score_row(row: ReportRow, leader: TaskLeader | None = None) -> list[object]:
    metric = el("b", row.metric) if row.primary else row.metric
    counts = sorted({cell.n for cell in row.cells if cell})
    unit = "tasks" if row.metric == "mean" else ""
    shown = el("td", f"{' or '.join(f'{n:,}' for n in counts)} {unit}".strip(), class_="value")
    return [row.title, metric, shown, *(score_cell(cell, _standing(leader, place)) for place, cell in enumerate(row.cells))]


def _standing(leader: TaskLeader | None, place: int) -> str:
    """`best`, `tied` with it, or nothing."""
    if leader is None or not (leader.tied or leader.behind):
        return ""
    return "best" if place == leader.best else "tied" if place in leader.tied else ""


def score_cell(cell: ReportCell | None, standing: str = "") -> Html:
    """Value, spread between seeds, interval, and the value that a paper prints for the same model."""
    if cell is None:
        return el("td", "not answered", class_="none")
    if cell.value is None:
        return el("td", "–", el("small", cell.reason or ""), class_="none")
    spread = f" ± {number(cell.spread)}" if cell.spread is not None else ""
    note = el("small", cell.note, title=cell.unranked) if cell.note else None
    value = f"{number(cell.value)}{spread}"
    return el(
        "td",
        el("b", value) if standing == "best" else value,
        el("small", span(cell.low, cell.high)),
        note,
        _beside(cell.reported),
        class_="value tie" if standing else "value",
        title="cannot be told from the best" if standing == "tied" else None,
    )


def _beside(reported: Mark | None) -> Html | None:
    if reported is None:
        return None
    return el("small", f"reported {number(reported.value)}", " (known to be wrong)" if reported.wrong else None, title=reported.wrong)


def _reported_part(section: Section) -> Html | None:
    """What papers print, models down and tasks across, with what is known to be wrong in it."""
    rows = [row for row in section.rows if row.reported]
    if not rows:
        return None
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
    return details("Reported results", table(f"As printed, not computed here: {sources}", head, body), listed)


def _reported_cell(one: Mark | None, notes: dict[str, int]) -> Html:
    if one is None:
        return el("td", "", class_="none")
    return el("td", number(one.value), el("sup", f"†{notes[one.wrong]}") if one.wrong else None, class_="value")


def _overall_note(section: Section) -> Html | None:
    return el("p", section.note, class_="note") if section.note and any(row.metric == "mean" for row in section.rows) else None


def parity_part(section: Section, keys: Sequence[Key]) -> Html:
    """Both numbers of every system in one small table."""
    caption = "A system that always gives the same answer has perfect parity: read both numbers"
    rows = []
    for one in section.parity:
        rows.append([labelled(keys[one.system]), one.title, score_cell(one.score), score_cell(one.parity), f"{one.parity.n:,}"])
    return table(caption, ["System", "Task", section.parity[0].metric, "gender-parity", "Groups"], rows)
