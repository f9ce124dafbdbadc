"""The report as one HTML page: nothing is loaded, nothing runs."""

from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files

from gluepot.runs.report import Report, Section
from gluepot.runs.report.diagnostics import Heat, HeatRow
from gluepot.runs.report.markup import Html, anchor, details, el, join, number, scroll, table
from gluepot.runs.report.marks import Key, labelled, make_keys
from gluepot.runs.report.parts import (
    calibration_part,
    confusion_part,
    items_part,
    parity_part,
    score_cell,
    score_part,
    shaded,
)
from gluepot.statistics.bootstrap import RESAMPLES

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
INTERVALS = (
    f"Intervals are percentile bootstraps at 95 % ({RESAMPLES:,} resamples unless a run was scored with another number) over items, or over groups of "
    "items where a task has such (questions on one passage, sentences that differ in a pronoun). The interval of a suite's mean combines the tasks' "
    "independent bootstraps. With several seeds the value is their mean, ± their standard deviation, and interval, items and matrices are the first seed's. "
    "Values marked as reported were printed by others and not computed here. Partial runs answered some items only and are never ranked."
)


def render_page(report: Report) -> str:
    """The whole page."""
    keys = make_keys(report.systems, [number for section in report.sections for number in section.majority])
    blocks = list(_blocks(report, keys))
    title = f"{', '.join(dict.fromkeys(section.title for section in report.sections))}: report"
    style = (files(__package__) / "page.css").read_text(encoding="utf-8")
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=POLICY),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("link", rel="icon", href="data:,"),
        el("title", title),
        el("style", Html(style)),
    )
    contents = el("nav", el("ul", *(el("li", el("a", name, href=f"#{place}")) for place, name, _ in blocks)), aria_label="Contents")
    sections = [el("section", el("h2", name, id=place), content) for place, name, content in blocks]
    foot = el("footer", el("p", f"Made with gluepot {report.gluepot}."))
    body = el("body", el("header", el("h1", title), _systems(report, keys), contents), el("main", *sections), foot)
    return f"<!doctype html>\n{el('html', head, body, lang='en')}\n"


def _systems(report: Report, keys: Sequence[Key]) -> Html:
    """Who is compared, on what, since when."""
    rows = []
    for key, card in zip(keys, report.systems, strict=True):
        seeds = str(len(card.seeds)) if card.seeds else "–"
        date = card.started[:10] if card.started else "–"
        what = f"{card.suite} {card.version}, {', '.join(card.splits)}"
        rows.append([labelled(key), what, card.tasks, seeds, date, card.gluepot or "predictions made elsewhere"])
    head = ["System", "Suite", "Tasks", "Seeds", "Run of", "gluepot"]
    remarks = [el("li", el("bdi", card.name), ": ", remark) for card in report.systems for remark in card.remarks]
    return join([table("Systems", head, rows, class_="facts"), el("ul", *remarks, class_="notes") if remarks else None, _fingerprints(report)])


def _fingerprints(report: Report) -> Html:
    found: dict[tuple[str, str], list[str]] = {}
    for card in report.systems:
        for place, mark in card.data.items():
            found.setdefault((f"{card.suite}/{place}", mark), []).append(card.name)
    rows = [[place, el("td", el("code", mark)), ", ".join(names)] for (place, mark), names in found.items()]
    return details("Data fingerprints", table("The files that were scored against", ["Data", "Fingerprint", "Systems"], rows))


def _blocks(report: Report, keys: Sequence[Key]) -> Iterator[tuple[str, str, Html]]:
    """Anchor, heading and content of every block of the page."""
    names: dict[str, int] = {}
    for section in report.sections:
        name = f"{section.title} {section.version}, {section.split}"
        names[name] = names.get(name, 0) + 1
        name += f", other data ({names[name]})" if names[name] > 1 else ""
        yield anchor(name), name, _section(section, keys, anchor(name))
    if report.diagnostics:
        yield "diagnostics", "Diagnostics", join(_heat(heat, keys) for heat in report.diagnostics)
    if any(card.started for card in report.systems):
        yield "cost", "Cost", _cost(report, keys)
    yield "intervals", "How to read the numbers", el("p", INTERVALS)


def _section(section: Section, keys: Sequence[Key], place: str) -> Html:
    parts: list[tuple[str, object, Callable[[], Html]]] = [
        ("Scores", section.rows, lambda: score_part(section, keys)),
        ("Gender parity", section.parity, lambda: parity_part(section, keys)),
        ("Confusion matrices", section.confusions, lambda: confusion_part(section, keys)),
        ("Hardest items", section.hardest, lambda: items_part(section.hardest, keys)),
        ("Disagreements", section.disagreements, lambda: items_part(section.disagreements, keys)),
        ("Calibration", section.calibration, lambda: calibration_part(section, keys)),
    ]
    return join(join([el("h3", name, id=anchor(place, name)), render()]) for name, content, render in parts if content)


def _heat(heat: Heat, keys: Sequence[Key]) -> Html:
    """Shades and numbers; intervals in the table behind."""
    titles = dict.fromkeys(f"{column.title}, {column.split}: {column.metric}" for column in heat.columns)
    widths = {title: sum(title == f"{c.title}, {c.split}: {c.metric}" for c in heat.columns) for title in titles}
    groups = el("tr", el("td", ""), *(el("th", title, scope="colgroup", colspan=width) for title, width in widths.items()))
    systems = [labelled(keys[column.system]) for column in heat.columns]
    second = el("tr", el("th", "Category", scope="col"), *(el("th", name, scope="col") for name in systems))
    body = [el("tr", _category(row), *(_shade(row, n) for n in range(len(heat.columns))), class_=None if row.fine else "coarse") for row in heat.rows]
    caption = el("caption", el("span", "The stronger the shade, the better; bold rows are whole categories"))
    map_ = el("table", caption, el("thead", groups, second), el("tbody", *body), class_="heat")
    head = ["Category", *(join([column.title, " ", name]) for column, name in zip(heat.columns, systems, strict=True)), "reported"]
    rows = [[_category(row), *(_with_n(row, n) for n in range(len(heat.columns))), _range(row)] for row in heat.rows]
    name = " and ".join(dict.fromkeys(column.title for column in heat.columns))
    return join([el("h3", name), scroll(map_, name), details("Table", table(f"{name}, with 95 % intervals and n", head, rows))])


def _category(row: HeatRow) -> Html:
    return el("th", row.fine or row.coarse, scope="row", class_="fine" if row.fine else None)


def _shade(row: HeatRow, column: int) -> Html:
    cell = row.cells[column]
    if cell is None or cell.value is None:
        return el("td", "" if cell is None else "–", class_="none", title=cell.reason if cell else None)
    return shaded(cell.value, number(cell.value, 2))


def _with_n(row: HeatRow, column: int) -> Html:
    cell = row.cells[column]
    if cell is None:
        return el("td", "", class_="none")
    shown = score_cell(cell)
    return Html(shown.removesuffix("</td>") + el("small", f"n = {cell.n:,}") + "</td>")


def _range(row: HeatRow) -> str:
    if row.reported is None:
        return ""
    low, high, models = row.reported
    return f"{number(low)} to {number(high)} ({models} models)"


def _cost(report: Report, keys: Sequence[Key]) -> Html:
    parts = []
    if report.cost:
        rows = []
        for number_, key in enumerate(keys):
            mine = [one for one in report.cost if one.system == number_]
            if mine:
                rows.append(_cost_row(labelled(key), "all jobs", sum(o.seconds for o in mine), sum(o.items for o in mine)))
        parts.append(table("Learning and answering together", ["System", "Job", "Seconds", "Items", "Items a second"], rows))
        jobs = [_cost_row(labelled(keys[o.system]), o.job, o.seconds, o.items) for o in report.cost]
        parts.append(details("Job by job", table("Seconds by job", ["System", "Job", "Seconds", "Items", "Items a second"], jobs)))
    machines = [
        [labelled(key), _listed(card.machine), _listed(card.packages)] for key, card in zip(keys, report.systems, strict=True) if card.machine
    ]
    parts.append(table("Machines and packages", ["System", "Machine", "Packages"], machines))
    return join(parts)


def _cost_row(name: Html, job: str, seconds: float, items: int) -> list[object]:
    speed = f"{items / seconds:,.1f}" if seconds > 0 and items else "–"
    return [name, job, f"{seconds:,.1f}", f"{items:,}" if items else "–", speed]


def _listed(facts: dict[str, str | int] | dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in facts.items())
