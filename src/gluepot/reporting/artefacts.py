"""The artefact report as one HTML page: how well single features predict the answers, and what splits have in common."""

from collections.abc import Sequence

from gluepot.build.artefacts.report import Artefact
from gluepot.build.artefacts.tasks import TaskArtefacts
from gluepot.reporting.html.document import render_document
from gluepot.reporting.html.markup import Html, anchor, el, join, table

NOTE = (
    "A rule is learned on the training data and tried on the test data, or on the development data where test answers are withheld; where "
    "there is one split only, on either half. Chance is the share of the commonest answer, or one of the options. A rule tells something "
    "where its 95 % interval lies above chance. Copies are texts with the same words, case and punctuation aside; near-copies, among "
    "which copies are counted, have four words in five in common."
)


def render_artefacts(title: str, reports: Sequence[TaskArtefacts]) -> str:
    """Return the whole page."""
    heading = f"{title}: artefacts"
    contents = el("nav", el("ul", *(el("li", el("a", one.title, href=f"#{anchor(one.title)}")) for one in reports)), aria_label="Contents")
    sections = [el("section", el("h2", one.title, id=anchor(one.title)), _task(one)) for one in reports]
    return render_document(heading, el("header", el("h1", heading), el("p", NOTE), contents), el("main", *sections))


def _rule(artefact: Artefact) -> Html:
    """Return the rule's name, in bold if it is above chance: a last column would be out of sight on a phone."""
    return join([el("b", artefact.rule), el("small", " above chance")]) if artefact.tells else el("span", artefact.rule)


def _task(one: TaskArtefacts) -> Html:
    parts: list[Html] = []
    if one.artefacts:
        rows: list[list[object]] = [[_rule(a), f"{a.accuracy:.3f}", f"{a.low:.3f}–{a.high:.3f}", f"{a.chance:.3f}"] for a in one.artefacts]
        parts.append(table("What one feature tells", ["Rule", "Accuracy", "Interval", "Chance"], rows, class_="facts"))
    if one.leaks:
        rows = [[k.what, k.split, k.known, f"{k.items:,}", f"{k.copies:,}", f"{k.near:,}"] for k in one.leaks]
        parts.append(table("What splits share", ["What", "Of", "Also in", "Items", "Copies", "Near"], rows, class_="facts"))
    if one.duplicates:
        rows = [[split, f"{count:,}"] for split, count in one.duplicates.items()]
        parts.append(table("Repeated items", ["Split", "Items"], rows, class_="facts"))
    if one.balance:
        labels = list(dict.fromkeys(label for counts in one.balance.values() for label in counts))
        rows = [[split, *(f"{counts.get(label, 0):,}" for label in labels)] for split, counts in one.balance.items()]
        parts.append(table("Answers", ["Split", *labels], rows, class_="facts"))
    return join(parts) if parts else el("p", "Nothing was found, and no rule fits this kind of task.")
