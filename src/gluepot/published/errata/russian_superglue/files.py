"""Errata of Russian SuperGLUE's files: test items on training texts, a lost tag, sizes that differ from print."""

from django.utils.translation import gettext as _

from gluepot.board.errata.claims import Erratum, ErratumFigure
from gluepot.board.errata.counting import Records, counted, lines_of, repeated, sizes_of
from gluepot.published.errata.diagnostics import differing_rows
from gluepot.published.errata.russian_superglue import NAME
from gluepot.tasks.declarations import load_suite

SOURCE = "Russian SuperGLUE 1.1"
PAPER = "Russian SuperGLUE 1.1 paper"
TOLD_QUESTIONS, TOLD_TRAINING, TOLD_RUCOS = 5228, 1750, 7527
"""Printed numbers of MuSeRC's questions (section 3.1.4), DaNetQA's training items (3.1.2) and RuCoS' validation items (3.1.3)."""
Counts = list[tuple[str, int, int]]
"""A split, its items, and those with the fault."""


def _on_known_texts(field: str, train: Records, val: Records, test: Records) -> Counts:
    known = [row[field] for row in train]
    return [(split, len(rows), repeated(known, (row[field] for row in rows))) for split, rows in (("val", val), ("test", test))]


@counted(*(f"russian-superglue/TERRa/{split}" for split in ("train", "val", "test")))
def terra_premises(train: Records, val: Records, test: Records) -> Counts:
    """Count TERRa's items whose premise is a training premise."""
    return _on_known_texts("premise", train, val, test)


@counted(*(f"russian-superglue/RCB/{split}" for split in ("train", "val", "test")))
def rcb_premises(train: Records, val: Records, test: Records) -> Counts:
    """Count RCB's items whose premise is a training premise."""
    return _on_known_texts("premise", train, val, test)


@counted(*(f"russian-superglue/DaNetQA/{split}" for split in ("train", "val", "test")))
def danetqa_passages(train: Records, val: Records, test: Records) -> Counts:
    """Count DaNetQA's items on a passage of the training set."""
    return _on_known_texts("passage", train, val, test)


def known_texts() -> Erratum:
    """Return the erratum on premises and passages of the training set in the test set."""

    def lines() -> list[ErratumFigure]:
        counts = {"TERRa": terra_premises(), "DaNetQA": danetqa_passages(), "RCB": rcb_premises()}
        return [
            ErratumFigure(f"{task}, {split}", items, known) for task, found in counts.items() for split, items, known in reversed(found)
        ]

    return Erratum(
        key="known-texts",
        title=_("Test items on training texts"),
        text=_(
            "Version 1.1 set out to close data leaks, but TERRa, DaNetQA and RCB are split by item, not by text. Items of the test set "
            "have a premise or a passage that training items have too, with another hypothesis or question. Words are compared, case and "
            "punctuation aside."
        ),
        source=SOURCE,
        suite=NAME,
        printed=_("Items"),
        computed=_("On a text of the training set"),
        digits=0,
        **lines_of(NAME, lines),
    )


@counted("russian-superglue/RUSSE/train", "russian-superglue/RUSSE/val")
def russe_sentences(train: Records, val: Records) -> dict[str, tuple[int, int]]:
    """Count the sentences of val that train has too, and the items of val with one or two of them."""
    known, asked = ({row[field] for row in split for field in ("sentence1", "sentence2")} for split in (train, val))
    seen = [(row["sentence1"] in known) + (row["sentence2"] in known) for row in val]
    return {
        "sentences": (len(asked), len(known & asked)),
        "both": (len(val), sum(count == 2 for count in seen)),
        "one": (len(val), sum(count > 0 for count in seen)),
    }


def russe() -> Erratum:
    """Return the erratum on sentences shared by the training and validation sets."""

    def lines() -> list[ErratumFigure]:
        told = {"sentences": _("sentences"), "both": _("items with two such sentences"), "one": _("items with at least one")}
        return [ErratumFigure(told[key], *counts) for key, counts in russe_sentences().items()]

    return Erratum(
        key="russe",
        title=_("Validation on training sentences"),
        text=_(
            "RUSSE’s training and validation sets are split by pair, not by sentence: most sentences of the validation set stand in the "
            "training set too, paired otherwise. Selecting a model on the validation set selects on sentences that it has seen."
        ),
        source=f"{SOURCE}, RUSSE",
        suite=NAME,
        printed=_("In the validation set"),
        computed=_("Also in the training set"),
        digits=0,
        **lines_of(NAME, lines),
    )


def features() -> Erratum:
    """Return the erratum on a tag that was lost in translation."""

    def lines() -> list[ErratumFigure]:
        rows, _labels, tags = differing_rows()
        missing = _("%(row)s lacks %(tags)s")
        notes = [missing % {"row": row.id, "tags": row.lost} for row in tags if row.lost] + [
            f"{row.id}: + {row.added}" for row in tags if row.added
        ]
        return [ErratumFigure(_("tags"), rows, len(tags), "; ".join(notes))]

    return Erratum(
        key="features",
        title=_("A feature that was not preserved"),
        text=_(
            "LiDiRus is said to translate the English diagnostics with all its features. SweDiagnostics translates the same rows, so that "
            "the tags can be laid side by side: LiDiRus does not have them all."
        ),
        source=f"{PAPER}, section 2.1",
        suite=NAME,
        printed=_("Rows"),
        computed=_("Rows that differ"),
        digits=0,
        **lines_of(NAME, lines),
    )


@counted(*(f"russian-superglue/MuSeRC/{split}" for split in ("train", "val", "test")))
def muserc_questions(*splits: Records) -> int:
    """Count the questions of all three splits."""
    return sum(len(split) for split in splits)


def sizes() -> Erratum:
    """Return the erratum on printed numbers that the files, or the paper's own table, contradict."""
    rows = {name: load_suite(NAME).tasks[name].data.rows for name in ("DaNetQA", "RuCoS")}

    def lines() -> list[ErratumFigure]:
        odd = [ErratumFigure(f"RUSSE, {split}: Table 1", told, here) for split, told, here in sizes_of("russian-superglue/RUSSE")]
        return [
            *odd,
            ErratumFigure(_("MuSeRC, questions: section 3.1.4"), TOLD_QUESTIONS, muserc_questions()),
            ErratumFigure(_("DaNetQA, train: section 3.1.2"), TOLD_TRAINING, rows["DaNetQA"]["train"], _("Table 1 and the file")),
            ErratumFigure(_("RuCoS, val: section 3.1.3"), TOLD_RUCOS, rows["RuCoS"]["val"], _("Table 1")),
        ]

    return Erratum(
        key="russian-sizes",
        title=_("Sizes that differ from print"),
        text=_("Numbers in the paper that its own Table 1 or the published files contradict."),
        source=PAPER,
        suite=NAME,
        printed=_("Printed"),
        computed=_("Counted"),
        digits=0,
        **lines_of(NAME, lines),
    )
