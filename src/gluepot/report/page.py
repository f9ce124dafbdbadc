"""The report as one HTML page: nothing is loaded, nothing runs."""

from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files

from gluepot.report import Report, Section
from gluepot.report.curves import calibration_part
from gluepot.report.listings import cost_part, fingerprint_part, items_part
from gluepot.report.marks import Key, labelled, make_keys
from gluepot.report.markup import Html, anchor, el, join, table
from gluepot.report.parts import parity_part, score_part
from gluepot.report.shades import confusion_part, heat_part
from gluepot.statistics.bootstrap import RESAMPLES

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
INTERVALS = (
    f"Intervals are percentile bootstraps at 95 % ({RESAMPLES:,} resamples unless a run was scored with another number) over items, or "
    "over groups of items where a task has such (questions on one passage, sentences that differ in a pronoun). The interval of a suite's "
    "mean combines the tasks' independent bootstraps. With several seeds the value is their mean, ± their standard deviation; interval, "
    "items and matrices are the first seed's. Values marked as reported were printed by others and not computed here. Partial runs "
    "answered some items only and are never ranked."
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
    listed = el("ul", *remarks, class_="notes") if remarks else None
    return join([table("Systems", head, rows, class_="facts"), listed, fingerprint_part(report, keys)])


def _blocks(report: Report, keys: Sequence[Key]) -> Iterator[tuple[str, str, Html]]:
    """Anchor, heading and content of every block of the page."""
    names: dict[str, int] = {}
    for section in report.sections:
        name = f"{section.title} {section.version}, {section.split}"
        names[name] = names.get(name, 0) + 1
        name += f", other data ({names[name]})" if names[name] > 1 else ""
        yield anchor(name), name, _section(section, keys, anchor(name))
    if report.diagnostics:
        yield "diagnostics", "Diagnostics", join(heat_part(heat, keys) for heat in report.diagnostics)
    if any(card.started for card in report.systems):
        yield "cost", "Cost", cost_part(report, keys)
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
