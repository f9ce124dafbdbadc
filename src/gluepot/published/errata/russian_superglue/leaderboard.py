"""Errata of Russian SuperGLUE's leaderboard: people among systems, a human score by another metric, timings unlike the records."""

from django.utils.translation import gettext as _

from gluepot.board.errata.claims import Erratum, ErratumFigure
from gluepot.board.models import Entry, Measurement
from gluepot.board.templatetags.shown import decimal, number
from gluepot.published.errata.russian_superglue import NAME
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.published_results import load_published
from gluepot.tasks.systems import find_system

FIGURE = "Russian SuperGLUE 1.1 paper, Figure 3"
CONSTANT, PEOPLE = "majority class", "HUMAN BENCHMARK"
NOTED_RUSSE = (0.781, 603)
"""Human accuracy on RUSSE in the publisher's notes, and its number of items: without twelve workers."""
TIMED = "Russian SuperGLUE 1.1 paper, Figure 1"


def human() -> Erratum:
    """Return the erratum on ranks that count people and trivial baselines as systems."""
    overall = [cell for cell in load_published(load_suite(NAME)) if (cell.source, cell.task) == (FIGURE, "overall")]
    ordered = sorted(overall, key=lambda cell: -cell.value)
    lines, place = [], 0
    for printed, cell in enumerate(ordered, start=1):
        role = find_system(NAME, cell.model).role
        place += role == "system"
        note = {"human": _("people: shown, not ranked"), "trivial": _("a trivial baseline: shown, not ranked")}.get(role, "")
        lines.append(ErratumFigure(cell.model, printed, place if role == "system" else None, note))
    return Erratum(
        key="human",
        title=_("People in first place"),
        text=_(
            "The leaderboard ranks the human benchmark as row 1, and heuristics among the systems. So the best system reads as the "
            "second, and every other rank is off by the rows that are no systems. Here people and trivial baselines are shown "
            "beside the ranking, not in it."
        ),
        source=FIGURE,
        suite=NAME,
        printed=_("Printed row"),
        computed=_("Rank among systems"),
        digits=0,
        lines=lines,
    )


def constant_f1(share: float, labels: int) -> tuple[float, float]:
    """Return macro and weighted F1 of a constant answer, from the share of items for which it is right.

    >>> [round(value, 3) for value in constant_f1(0.484, 3)]
    [0.217, 0.316]
    """
    own = 2 * share / (1 + share)
    return own / labels, own * share


def human_scores() -> Erratum:
    """Return the erratum on the human F1 on RCB, which is weighted while that of all systems is macro."""
    suite = load_suite(NAME)
    cells = {(cell.model, cell.task, cell.metric): cell.value for cell in load_published(suite) if cell.source == FIGURE}
    share = cells[CONSTANT, "RCB", "accuracy"]
    macro, weighted = constant_f1(share, len(suite.tasks["RCB"].labels))
    told = {"share": decimal(share, 3), "weighted": decimal(weighted, 3)}
    lines = [
        ErratumFigure(
            f"{CONSTANT}, RCB, macro-F1",
            cells[CONSTANT, "RCB", "macro-f1"],
            macro,
            _("one answer throughout, right for %(share)s of the items; weighted it would be %(weighted)s") % told,
        ),
        ErratumFigure(
            f"{PEOPLE}, RCB, macro-F1",
            cells[PEOPLE, "RCB", "macro-f1"],
            None,
            _("weighted F1, by the publisher’s own notes; the votes and the answers are not public, so that macro-F1 cannot be computed"),
        ),
        ErratumFigure(
            f"{PEOPLE}, RUSSE",
            cells[PEOPLE, "RUSSE", "accuracy"],
            None,
            _("%(value)s on %(items)s items in the publisher’s own notes; the answers are not public")
            % {"value": decimal(NOTED_RUSSE[0], 3), "items": number(NOTED_RUSSE[1])},
        ),
    ]
    return Erratum(
        key="human-scores",
        title=_("A human score by another metric"),
        text=_(
            "RCB’s F1 is macro-averaged, as the row of the constant answer shows. People’s F1 is weighted by how often each label "
            "occurs. The two must not be compared, nor the human average that contains it with the systems’ averages."
        ),
        source=FIGURE,
        suite=NAME,
        printed=_("Printed"),
        computed=_("Macro-F1 from its row"),
        digits=3,
        lines=lines,
    )


def timings() -> Erratum:
    """Return the erratum on printed speeds and memories that differ from those of the raw records."""
    rows = Measurement.objects.filter(entry__suite__name=NAME, entry__kind=Entry.Kind.TIMING, current=True, reported__isnull=False)
    places = {"throughput": 0, "memory": 2}
    found = [row for row in rows.select_related("entry__system").order_by("entry__system__name", "task") if row.quantity in places]
    odd = [row for row in found if round(row.value, places[row.quantity]) != row.reported]
    printed = sum(cell.source == TIMED for cell in load_published(load_suite(NAME)))
    counts = {"all": number(printed), "here": number(len(found)), "same": number(len(found) - len(odd))}
    missing = _("Of the %(all)s printed cells, raw records for %(here)s are on this board; %(same)s of these agree.") % counts
    if not odd and len(found) < printed:
        missing += " " + _("The cells that differ are among the others.")
    return Erratum(
        key="timings",
        title=_("Cells of the timing figure that the records do not give"),
        text=_(
            "Figure 1 prints throughput and memory of models, task by task. The raw timing records were published too, so that "
            "every cell can be recomputed by the paper’s own formula. Nearly all come out as printed; those that do not are listed "
            "here as far as their records are on this board."
        ),
        source=TIMED,
        suite=NAME,
        printed=_("Printed"),
        computed=_("From the records"),
        digits=2,
        lines=[ErratumFigure(f"{row.entry.system.name}, {row.task}, {row.quantity}", row.reported, row.value, row.note) for row in odd],
        missing=missing,
    )
