"""Errata of Superlim's tables and records: parity over items, a wrong N, the FAQ column, misprinted cells; and what does agree."""

from collections import Counter
from statistics import fmean

from django.utils.translation import gettext as _

from gluepot.board.analysis.parity import PARITY
from gluepot.board.errata.claims import Erratum, ErratumFigure
from gluepot.board.items.loading import load_items
from gluepot.board.models import Score, Stated
from gluepot.board.templatetags.shown import decimal, number
from gluepot.errors import GluepotError
from gluepot.published.errata.superlim import NAME
from gluepot.records import Suite
from gluepot.runs.reproduction import judge
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.published_results import PublishedResult, load_errata, load_published
from gluepot.tasks.systems import find_system

TABLE = "Superlim paper, Table 5"
Verified = dict[tuple[str, str, str, str, str], float]
"""System, task, slice, split, metric."""


def _no_submission() -> str:
    return _("No submission that states this figure is on this board.")


def parity() -> Erratum:
    """Return the erratum on parity, stated over items but computed over triples."""
    items = load_suite(NAME).tasks["swewinogender"].data.rows["test"]
    lines = []
    for row in _wrongly_stated(PARITY):
        triples = Score.objects.filter(entry=row.entry_id, task=row.task, metric=PARITY).values_list("n", flat=True).first()
        note = ""
        if triples:
            shown = {"stated": decimal(row.stated, 4), "items": number(items), "triples": number(triples)}
            note = _("%(stated)s × %(items)s / %(triples)s") % shown + f" = {decimal(row.stated * items / triples, 4)}"
        lines.append(ErratumFigure(row.entry.system.name, row.stated, row.computed, note))
    return Erratum(
        key="parity",
        title=_("Gender parity that can never pass a third"),
        text=_(
            "SweWinogender’s 624 items are 208 triples, and parity is the share of triples with one answer throughout. The "
            "submission records divide the triples by the items, so that a perfectly even-handed system gets 0.3333. Here it is "
            "recomputed from the predictions."
        ),
        source=_("Superlim submission records"),
        suite=NAME,
        printed=_("Stated"),
        computed=_("Over triples"),
        digits=4,
        lines=lines,
        missing="" if lines else _no_submission(),
    )


def _wrongly_stated(metric: str) -> list[Stated]:
    rows = Stated.objects.filter(entry__suite__name=NAME, metric=metric, agrees=False, computed__isnull=False)
    return list(rows.select_related("entry__system").order_by("entry__system__name"))


def size() -> Erratum:
    """Return the erratum on an N that is another task's."""
    suite = load_suite(NAME)
    sizes = {rows: f"{task.title} {split}" for task in suite.tasks.values() for split, rows in task.data.rows.items()}
    lines = [
        ErratumFigure(f"{row.entry.system.name}, {suite.tasks[row.task].title}", row.stated, row.computed, _of_another(sizes, row.stated))
        for row in _wrongly_stated("n")
        if row.task in suite.tasks
    ]
    return Erratum(
        key="size",
        title=_("A test set with another one’s size"),
        text=_(
            "The submission records say how many items a score was computed on. For SweDiagnostics they give the size of SweNLI’s "
            "test set, on whose training data it is solved. The predictions in the same folders are complete."
        ),
        source=_("Superlim submission records"),
        suite=NAME,
        printed=_("Stated N"),
        computed=_("Predictions"),
        digits=0,
        lines=lines,
        missing="" if lines else _no_submission(),
    )


def _of_another(sizes: dict[int, str], stated: float) -> str:
    known = sizes.get(round(stated))
    return _("the size of %(name)s") % {"name": known} if known else ""


def verified(suite: str) -> Verified:
    """Return the scores computed on this board for the systems in print, under each of their names."""
    names: dict[str, set[str]] = {}
    for model in {cell.model for cell in load_published(load_suite(suite))}:
        names.setdefault(find_system(suite, model).name, set()).add(model)
    rows = Score.objects.filter(entry__suite__name=suite, entry__system__name__in=names, current=True, verified=True, value__isnull=False)
    found: Verified = {}
    for system, task, part, split, metric, value in rows.values_list("entry__system__name", "task", "slice", "split", "metric", "value"):
        for name in names[system]:
            found[name, task, part, split, metric] = value  # type: ignore[assignment]
    return found


def faq() -> Erratum:
    """Return the erratum on the FAQ column, which is another metric than its heading says."""
    known, lines = verified(NAME), []
    for cell in load_published(load_suite(NAME)):
        place = cell.model, "swefaq", "", cell.split
        if (cell.source, cell.task) == (TABLE, "swefaq") and (*place, "pseudo-alpha") in known:
            nominal = decimal(known[*place, "alpha-nominal"], 3)
            lines.append(
                ErratumFigure(cell.model, cell.value, known[*place, "pseudo-alpha"], _("nominal α: %(value)s") % {"value": nominal})
            )
    return Erratum(
        key="faq",
        title=_("The FAQ column is not pseudo-α"),
        text=_(
            "The paper defines pseudo-α for tasks where one candidate is chosen, and prints a FAQ column in Table 5. Its numbers "
            "are nominal α over the numbers of the answers instead, as if the third answer of one question were the same label as "
            "the third answer of another. Both are recomputed from predictions."
        ),
        source=TABLE,
        suite=NAME,
        printed=_("Printed"),
        computed=_("Pseudo-α"),
        digits=3,
        lines=lines,
        missing=_("Only systems whose predictions are on this board can be recomputed."),
    )


def candidates() -> Erratum:
    """Return the erratum on the chance that pseudo-α corrects for, with one row in the wrong category."""
    task = load_suite(NAME).tasks["swefaq"]
    stated = task.metric_options["pseudo-alpha"]["chance"][1]
    lines, missing = list[ErratumFigure](), ""
    try:
        examples = load_items(task, "test").examples
    except GluepotError:
        missing = _("The data is not on this server. Get it with “%(command)s”.") % {"command": f"gluepot data fetch {NAME}"}
    else:
        groups = Counter(example.group for example in examples)
        by_category = sum(count**2 for count in groups.values())
        odd = [e.id for e in examples if len(e.inputs["options"]) < groups[e.group] - 1]
        note = _("by category, one row in the wrong one: %(total)s; the row: %(row)s") % {
            "total": number(by_category),
            "row": ", ".join(odd),
        }
        lines = [ErratumFigure(_("candidates of all test questions"), stated, sum(len(e.inputs["options"]) for e in examples), note)]
    return Erratum(
        key="candidates",
        title=_("Candidates that are not there"),
        text=_(
            "SweFAQ’s pseudo-α corrects for chance with the number of candidates of all questions. One test question carries the "
            "number of another category, which adds candidates that it does not have. The published constant is kept under its "
            "name, so that published values can be reproduced."
        ),
        source="Superlim 2",
        suite=NAME,
        printed=_("Published"),
        computed=_("Counted"),
        digits=0,
        lines=lines,
        missing=missing,
    )


def misprints() -> Erratum:
    """Return the erratum on cells that the rest of their own row refutes."""
    suite = load_suite(NAME)
    errata, published = load_errata(suite), load_published(suite)
    lines = []
    for cell in published:
        reason = errata.remark(cell)
        if reason and not cell.slice:
            lines.append(
                ErratumFigure(f"{cell.model}, {_shown_task(suite, cell)}", cell.value, from_its_row(suite, cell, published), reason)
            )
    return Erratum(
        key="misprints",
        title=_("Misprinted cells"),
        text=_(
            "A table’s average must be the mean of its cells. Where it is not, one of them is a misprint. An average is recomputed "
            "from the printed cells, and a cell from the printed average and the other cells of its row; it then carries the "
            "rounding of the average, times the number of cells."
        ),
        source=TABLE,
        suite=NAME,
        printed=_("Printed"),
        computed=_("From its row"),
        digits=3,
        lines=lines,
    )


def _shown_task(suite: Suite, cell: PublishedResult) -> str:
    return suite.tasks[cell.task].title if cell.task in suite.tasks else _("average")


def from_its_row(suite: Suite, cell: PublishedResult, published: list[PublishedResult]) -> float | None:
    """Return the average of the row's other cells, or the cell that the printed average implies."""
    row = {one.task: one.value for one in published if (one.source, one.model, one.slice) == (cell.source, cell.model, None)}
    terms = [term[0].partition(":")[0] for term in suite.overall.terms]
    others = [row.get(task) for task in terms if task != cell.task]
    known = [value for value in others if value is not None]
    if len(known) < len(others):
        return None
    if cell.task not in terms:
        return fmean(known)
    return row["overall"] * len(terms) - sum(known) if "overall" in row else None


def checked() -> Erratum:
    """Return the agreement of all printed numbers with those computed on this board."""
    suite = load_suite(NAME)
    known, errata = verified(NAME), load_errata(suite)
    marks, lines = Counter[str](), []
    for cell in load_published(suite):
        ours = known.get((cell.model, cell.task, cell.slice or "", cell.split, cell.metric))
        if ours is None:
            continue
        found = judge(cell, ours, "predictions", errata)
        marks[found.mark] += 1
        if found.mark == "≠":
            lines.append(
                ErratumFigure(
                    f"{cell.model}, {cell.task} {cell.slice or ''} {cell.split}".replace("  ", " "), cell.value, found.ours, found.note
                )
            )
    counts = {"all": number(marks.total()), "same": number(marks["="]), "last": number(marks["~"]), "other": number(marks["≠"])}
    return Erratum(
        key="checked",
        title=_("What else was checked"),
        text=_(
            "Of the %(all)s printed numbers whose predictions are on this board, %(same)s come out to the last printed digit, "
            "%(last)s differ by one in it because the tables cut some values instead of rounding them, and %(other)s differ by "
            "more."
        )
        % counts,
        source=_("Superlim paper"),
        suite=NAME,
        printed=_("Printed"),
        computed=_("From predictions"),
        digits=3,
        lines=lines,
        missing="" if marks else _("No predictions of a system in print are on this board."),
    )
