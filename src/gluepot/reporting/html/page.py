"""The report as one HTML page, without external resources or scripts."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date

from gluepot.plurals import pluralize
from gluepot.reporting import Report, Section
from gluepot.reporting.html.curves import calibration_part
from gluepot.reporting.html.document import render_document
from gluepot.reporting.html.listings import cost_part, fingerprint_part, items_part
from gluepot.reporting.html.markup import Html, anchor, details, el, join, table
from gluepot.reporting.html.parts import numbers_part, parity_part, reported_part, score_part
from gluepot.reporting.html.shades import confusion_part, heat_part
from gluepot.reporting.marks import Key, labelled, make_keys
from gluepot.reporting.tradeoffs.part import tradeoffs_part
from gluepot.statistics.bootstrap import RESAMPLES

STRIKING = 100
"""Maximum number of letters of a first statement that is emphasised."""
INTERVALS = (
    f"Intervals are at 95 %, from {RESAMPLES:,} draws of a Bayesian bootstrap (unless a run was scored with another number) over items, or "
    "over groups of items that belong together (questions on one passage, sentences that differ in a pronoun). Unseen items are "
    "included, so that a perfect score has an interval too. The interval of a suite's mean combines those of its tasks. With several "
    "seeds, the value is their mean, ± their standard deviation; interval, items and matrices are those of the first seed.",
    "A system is behind the best of a task if a paired test on the same items says so, corrected for the number of comparisons (Holm). All "
    "others cannot be told apart from the best. Trivial baselines and partial runs, which answered only some items, are not compared.",
    "Published values come from papers and were not computed here.",
)


def render_page(report: Report) -> str:
    """Return the whole page."""
    keys = make_keys(report.systems, [number for section in report.sections for number in section.majority])
    title = f"{', '.join(dict.fromkeys(section.title for section in report.sections))}: report"
    several = len(report.sections) > 1
    sections = [
        el("section", el("h2", name, id=anchor(name), class_=None if several else "hidden"), *_section(section, keys, anchor(name)))
        for section, name in zip(report.sections, _names(report.sections), strict=True)
    ]
    header = el("header", el("h1", _heading(report)), *_answers(report), _contents(report.sections) if several else None)
    foot = el("footer", el("p", f"Made with gluepot {report.gluepot}; the page needs no network and no script."))
    return render_document(title, header, el("main", *sections, el("section", *_about(report, keys))), foot)


def _names(sections: Sequence[Section]) -> list[str]:
    """Return the names of the sections; equal ones are numbered."""
    met: dict[str, int] = {}
    found = []
    for section in sections:
        name = f"{section.title} {section.version}, {section.split}"
        met[name] = met.get(name, 0) + 1
        found.append(name + (f", other data ({met[name]})" if met[name] > 1 else ""))
    return found


def _contents(sections: Sequence[Section]) -> Html:
    links = [el("li", el("a", name, href=f"#{anchor(name)}")) for name in _names(sections)]
    return el("nav", el("ul", *links), aria_label="Contents")


def _heading(report: Report) -> Html:
    """Return the heading: the systems, what they are compared on, and the date."""
    names = " and ".join(dict.fromkeys(section.title for section in report.sections))
    alone = len(report.systems) == 1
    days = sorted({card.started[:10] for card in report.systems if card.started})
    about = [*dict.fromkeys(f"{section.version}, {section.split}" for section in report.sections), *map(format_date, days[-1:])]
    who = join([el("bdi", report.systems[0].name), " on ", names]) if alone else f"{pluralize(len(report.systems), 'system')} on {names}"
    return join([who, " ", el("small", " · ".join(about))])


def format_date(day: str) -> str:
    """Format a date in words.

    >>> format_date("2026-11-06"), format_date("some day")
    ('6 November 2026', 'some day')
    """
    try:
        return f"{date.fromisoformat(day):%d %B %Y}".lstrip("0")
    except ValueError:
        return day


def _answers(report: Report) -> Iterator[Html]:
    """Yield the summaries, before anything else; the first statement is emphasised."""
    several = len(report.sections) > 1
    for section in report.sections:
        if section.answer:
            first, mark, rest = section.answer.partition("; ")
            shown = [el("b", first), mark, rest] if mark and len(first) < STRIKING else [section.answer]
            yield el("p", f"{section.title}, {section.split}: " if several else None, *shown, class_="lead")


def _section(section: Section, keys: Sequence[Key], place: str) -> Iterator[Html]:
    """Yield the plot, and below it everything else, folded."""
    yield score_part(section, keys)
    parts: list[tuple[str, object, Callable[[], Html]]] = [
        ("All scores as a table", section.rows, lambda: numbers_part(section, keys)),
        ("Published results", any(row.reported for row in section.rows), lambda: reported_part(section)),
        ("Gender parity", section.parity, lambda: parity_part(section, keys)),
        ("Confusion matrices", section.confusions, lambda: confusion_part(section, keys)),
        ("Hardest items", section.hardest, lambda: items_part(section.hardest, keys)),
        ("Disagreements between systems", section.disagreements, lambda: items_part(section.disagreements, keys)),
        ("Calibration", section.calibration, lambda: calibration_part(section, keys)),
    ]
    for name, content, render in parts:
        if content:
            yield _folded(name, render(), anchor(place, name))


def _folded(name: str, content: object, place: str) -> Html:
    return details(el("h3", name), content, place=place)


def _about(report: Report, keys: Sequence[Key]) -> Iterator[Html]:
    """Yield the content that all sections share."""
    if report.diagnostics:
        yield _folded("Diagnostics by category", join(heat_part(heat, keys) for heat in report.diagnostics), "diagnostics")
    if report.tradeoffs:
        yield join([el("h2", "What quality costs", id="tradeoffs"), tradeoffs_part(report.tradeoffs)])
    if any(card.started for card in report.systems):
        yield _folded("Time and machines", cost_part(report, keys), "cost")
    yield _folded("How they were run" if len(keys) > 1 else "How it was run", _systems(report, keys), "systems")
    if notes := _notes(report):
        yield _folded(f"{pluralize(len(notes), 'thing')} to know", el("ul", *notes, class_="notes"), "notes")
    yield _folded("How certain is this", join(el("p", text) for text in INTERVALS), "intervals")


def _systems(report: Report, keys: Sequence[Key]) -> Html:
    """Return the table of systems, with suite, tasks and date, and the data fingerprints."""
    rows = []
    for key, card in zip(keys, report.systems, strict=True):
        seeds = str(len(card.seeds)) if card.seeds else "–"
        day = format_date(card.started[:10]) if card.started else "–"
        what = f"{card.suite} {card.version}, {', '.join(card.splits)}"
        rows.append([labelled(key), what, card.tasks, seeds, day, card.gluepot or "predictions made elsewhere"])
    head = ["System", "Suite", "Tasks", "Seeds", "Date", "gluepot"]
    return join([table("Systems", head, rows, class_="facts"), fingerprint_part(report, keys)])


def _notes(report: Report) -> list[Html]:
    """Return the remarks on the systems, each once, with all systems that it applies to."""
    found: dict[str, list[str]] = {}
    for card in report.systems:
        for remark in card.remarks:
            found.setdefault(remark.replace(f"{card.model}: ", ""), []).append(card.name)
    everybody = len(report.systems)
    return [el("li", _whose(names, everybody), remark) for remark, names in sorted(found.items(), key=lambda pair: -len(pair[1]))]


def _whose(names: Sequence[str], everybody: int) -> Html | None:
    if everybody == 1:
        return None
    return join([el("b", "all systems") if len(names) == everybody else join((el("bdi", name) for name in names), ", "), ": "])
