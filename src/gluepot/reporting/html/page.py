"""The report as one HTML page: nothing is loaded, nothing runs."""

from collections.abc import Callable, Iterator, Sequence

from gluepot.plurals import pluralize
from gluepot.reporting import Report, Section
from gluepot.reporting.html.curves import calibration_part
from gluepot.reporting.html.document import render_document
from gluepot.reporting.html.listings import cost_part, fingerprint_part, items_part
from gluepot.reporting.html.markup import Html, anchor, details, el, join, table
from gluepot.reporting.html.parts import parity_part, score_part
from gluepot.reporting.html.shades import confusion_part, heat_part
from gluepot.reporting.marks import Key, labelled, make_keys
from gluepot.reporting.tradeoffs.part import tradeoffs_part
from gluepot.statistics.bootstrap import RESAMPLES

INTERVALS = (
    f"Intervals are at 95 %, from {RESAMPLES:,} draws of a Bayesian bootstrap (unless a run was scored with another number) over items, or "
    "over groups of items where a task has such (questions on one passage, sentences that differ in a pronoun); items that were not drawn "
    "yet take part in it, so that a perfect score has an interval too. The interval of a suite's mean combines those of its tasks. With "
    "several seeds the value is their mean, ± their standard deviation; interval, items and matrices are the first seed's. Values marked "
    "as reported were printed by others and not computed here. Partial runs answered some items only and are never ranked."
)


def render_page(report: Report) -> str:
    """The whole page."""
    keys = make_keys(report.systems, [number for section in report.sections for number in section.majority])
    blocks = list(_blocks(report, keys))
    title = f"{', '.join(dict.fromkeys(section.title for section in report.sections))}: report"
    contents = el("nav", el("ul", *(el("li", el("a", name, href=f"#{place}")) for place, name, _ in blocks)), aria_label="Contents")
    sections = [el("section", el("h2", name, id=place), content) for place, name, content in blocks]
    foot = el("footer", el("p", f"Made with gluepot {report.gluepot}; the page needs no network and no script."))
    header = el("header", el("h1", _heading(report)), *_answers(report), contents)
    return render_document(title, header, el("main", *sections), foot)


def _heading(report: Report) -> Html:
    """Who is compared on what, and when."""
    names = " and ".join(dict.fromkeys(section.title for section in report.sections))
    alone = len(report.systems) == 1
    days = sorted({card.started[:10] for card in report.systems if card.started})
    about = [", ".join(dict.fromkeys(f"{section.version}, {section.split}" for section in report.sections)), *days[-1:]]
    who = join([el("bdi", report.systems[0].name), " on ", names]) if alone else f"{pluralize(len(report.systems), 'system')} on {names}"
    return join([who, " ", el("small", " · ".join(about))])


def _answers(report: Report) -> Iterator[Html]:
    """What it all comes to, before anything else."""
    several = len(report.sections) > 1
    for section in report.sections:
        if section.answer:
            yield el("p", el("b", f"{section.title}, {section.split}: ") if several else None, section.answer, class_="lead")


def _systems(report: Report, keys: Sequence[Key]) -> Html:
    """Who is compared, on what, since when."""
    rows = []
    for key, card in zip(keys, report.systems, strict=True):
        seeds = str(len(card.seeds)) if card.seeds else "–"
        date = card.started[:10] if card.started else "–"
        what = f"{card.suite} {card.version}, {', '.join(card.splits)}"
        rows.append([labelled(key), what, card.tasks, seeds, date, card.gluepot or "predictions made elsewhere"])
    head = ["System", "Suite", "Tasks", "Seeds", "Run of", "gluepot"]
    return join([table("Systems", head, rows, class_="facts"), fingerprint_part(report, keys)])


def _notes(report: Report) -> Html | None:
    """What must be known of the systems, each thing once, with all whom it is about; folded."""
    found: dict[str, list[str]] = {}
    for card in report.systems:
        for remark in card.remarks:
            found.setdefault(remark.replace(f"{card.model}: ", ""), []).append(card.name)
    if not found:
        return None
    everybody = len(report.systems)
    listed = [
        el("li", "all systems" if len(names) == everybody > 1 else join((el("bdi", name) for name in names), ", "), ": ", remark)
        for remark, names in sorted(found.items(), key=lambda pair: -len(pair[1]))
    ]
    return details(f"{pluralize(len(found), 'thing')} to know about the systems", el("ul", *listed, class_="notes"))


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
    if report.tradeoffs:
        yield "tradeoffs", "What quality costs", tradeoffs_part(report.tradeoffs)
    yield "systems", "How they were run", join([_systems(report, keys), _notes(report)])
    yield "intervals", "How to read the numbers", details("Intervals, seeds, reported values", el("p", INTERVALS))


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
