"""Errata of SuperSim: a percentage, a quotation, a number of words, and a judgment off the scale."""

from django.utils.translation import gettext as _

from gluepot.board.errata.claims import Erratum, ErratumFigure
from gluepot.board.errata.counting import Records, counted, lines_of
from gluepot.board.templatetags.shown import decimal, number
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.published_results import load_published

NAME = "supersim"
PAPER, DATA = "SuperSim paper", "superlim"
CONTROLS = 69
TOLD_WORDS = 1301
QUOTED = 0.436
"""Value that section 4.3 quotes for Word2Vec on the WordSim353 pairs, similarity: Table 3 has it for SimLex-999."""
PERCENTAGES = {
    "Anno 1": (25, 7, 29, 14),
    "Anno 2": (1, 1, 38, 16),
    "Anno 3": (30, 9, 35, 13),
    "Anno 4": (14, 0, 26, 8),
    "Anno 5": (42, 4, 41, 10),
}
"""Percentages printed in Table 2: different and very different answers, for similarity and for relatedness."""
COLUMNS = [(task, metric) for task in ("similarity", "relatedness") for metric in ("disagreements", "hard-disagreements")]


def percentages() -> Erratum:
    """Return the erratum on percentages that their own counts contradict."""
    counts = {(c.model, c.task, c.metric): c.value for c in load_published(load_suite(NAME)) if c.source == f"{PAPER}, Table 2"}
    lines = []
    for annotator, printed in PERCENTAGES.items():
        for (task, metric), told in zip(COLUMNS, printed, strict=True):
            share = 100 * counts[annotator, task, metric] / CONTROLS
            if round(share) != told:
                note = _("%(count)s of %(all)s pairs") % {"count": number(counts[annotator, task, metric]), "all": number(CONTROLS)}
                lines.append(ErratumFigure(f"{annotator}, {task}, {metric}", told, share, note))
    return Erratum(
        key="percentages",
        title=_("A percentage that its count contradicts"),
        text=_(
            "Table 2 prints how many of 69 control pairs an annotator judged differently the second time, and the percentage. Recomputed "
            "from the counts, not every percentage comes out."
        ),
        source=f"{PAPER}, Table 2",
        suite=NAME,
        printed=_("Printed, %"),
        computed=_("From the count, %"),
        digits=1,
        lines=lines,
    )


def quotation() -> Erratum:
    """Return the erratum on a figure quoted from another row."""
    table = [cell for cell in load_published(load_suite(NAME)) if cell.source == f"{PAPER}, Table 3" and cell.task == "similarity"]
    right = next(cell for cell in table if cell.model.startswith("Word2Vec") and cell.slice == "origin/WordSim353")
    other = next((cell for cell in table if cell.value == QUOTED), None)
    note = (
        _("%(value)s is the figure of %(row)s") % {"value": decimal(QUOTED, 3), "row": (other.slice or "").rpartition("/")[2]}
        if other
        else ""
    )
    return Erratum(
        key="quotation",
        title=_("A quotation of the wrong row"),
        text=_("The discussion of results quotes a figure for WordSim353 that Table 3 prints for the other subset."),
        source=f"{PAPER}, section 4.3",
        suite=NAME,
        printed=_("Quoted"),
        computed=_("Table 3"),
        digits=3,
        lines=[ErratumFigure(f"{right.model}, WordSim353, similarity", QUOTED, right.value, note)],
    )


@counted("supersim/relatedness/all", "supersim/similarity/all")
def vocabulary(*tasks: Records) -> int:
    """Count the distinct words in all pairs."""
    return len({row[field] for task in tasks for row in task for field in ("word_1", "word_2")})


def vocabulary_size() -> Erratum:
    """Return the erratum on the number of words."""
    return Erratum(
        key="vocabulary",
        title=_("Words that are not there"),
        text=_("The paper counts the words of its pairs; the published pairs have fewer, upper and lower case told apart."),
        source=f"{PAPER}, section 1",
        suite=NAME,
        printed=_("Printed"),
        computed=_("Counted"),
        digits=0,
        **lines_of(DATA, lambda: [ErratumFigure(_("words"), TOLD_WORDS, vocabulary())]),
    )


@counted("supersim/similarity/all", "supersim/relatedness/all")
def off_scale(similarity: Records, relatedness: Records) -> list[tuple[str, float, float, float]]:
    """Return the judgments off the scale: place, judgment, gold mean, and mean of the others."""
    found = []
    for name, rows in (("similarity", similarity), ("relatedness", relatedness)):
        for row in rows:
            judged = {key: row[key] for key in ("a1", "a2", "a3", "a4", "a5") if key in row}
            for annotator, value in judged.items():
                if not 0 <= value <= 10:
                    others = [other for key, other in judged.items() if key != annotator]
                    where = f"{row['word_1']} – {row['word_2']}, {name}, {annotator}"
                    found.append((where, float(value), float(row["label"]), sum(others) / len(others)))
    return found


def scale() -> Erratum:
    """Return the erratum on a judgment of 19 on a scale to 10."""

    def lines() -> list[ErratumFigure]:
        note = _("gold mean %(mean)s, without it %(others)s")
        return [
            ErratumFigure(where, 10, value, note % {"mean": decimal(mean, 1), "others": decimal(others, 2)})
            for where, value, mean, others in off_scale()
        ]

    return Erratum(
        key="scale",
        title=_("A judgment off the scale"),
        text=_("Judgments are whole numbers from 0 to 10. One is higher, and went into the gold mean of its pair."),
        source=f"{PAPER}, section 3.1",
        suite=NAME,
        printed=_("Highest allowed"),
        computed=_("Judged"),
        digits=0,
        **lines_of(DATA, lines),
    )
