"""Errata of Superlim's files: a development set of training items, a wrong label, repeated analogies, sizes that do not add up."""

from collections import Counter, defaultdict
from typing import Any

from django.utils.translation import gettext as _

from gluepot.board.errata.claims import Erratum, ErratumFigure
from gluepot.board.errata.counting import Records, counted, lines_of, repeated
from gluepot.board.templatetags.shown import number
from gluepot.published.errata.diagnostics import differing_rows
from gluepot.published.errata.superlim import NAME
from gluepot.tasks.declarations import load_suite

SOURCE = "Superlim 2"
ARGUMENTS, ANALOGIES = "superlim/argumentation-sentences", "superlim/sweanalogy"
TOLD_PAIRS = 976
"""Question-answer pairs of SweFAQ in section 3.1.6 of the paper and in its sheet."""
TOLD_DIAGNOSTICS, TOLD_NLI = 1106, 392_704
"""Items of SweDiagnostics, and of SweNLI's training set, in their sheets."""


@counted(f"{ARGUMENTS}/train", f"{ARGUMENTS}/dev", f"{ARGUMENTS}/test")
def repeated_arguments(train: Records, dev: Records, test: Records) -> dict[str, int]:
    """Count the items of dev and of test that are in train, and those of dev with the same id and label."""
    known = {(row["sentence_id"], row["label"]) for row in train}
    texts = [[row["sentence"] for row in split] for split in (train, dev, test)]
    same = sum((row["sentence_id"], row["label"]) in known for row in dev)
    return {
        "dev": repeated(texts[0], texts[1]),
        "test": repeated(texts[0], texts[2]),
        "same": same,
        "all dev": len(dev),
        "all test": len(test),
    }


def argumentation() -> Erratum:
    """Return the erratum on the development set: 622 of its 750 items are training items."""

    def lines() -> list[ErratumFigure]:
        found = repeated_arguments()
        note = _("%(count)s of them with the same id and label") % {"count": number(found["same"])}
        title = load_suite(NAME).tasks["argumentation-sentences"].title
        return [
            ErratumFigure(f"{title}, dev", found["all dev"], found["dev"], note),
            ErratumFigure(f"{title}, test", found["all test"], found["test"]),
        ]

    return Erratum(
        key="argumentation",
        title=_("A development set made of training items"),
        text=_(
            "Most development items of Argumentation sentences are training items, word for word. What a system scores on them tells "
            "how well it remembers, and whoever chooses a model or its settings by them chooses memory. The test set is nearly clean."
        ),
        source=SOURCE,
        suite=NAME,
        printed=_("Items"),
        computed=_("Also in the training set"),
        digits=0,
        **lines_of(NAME, lines),
    )


def diagnostics() -> Erratum:
    """Return the erratum on a label that its Russian counterpart, and common sense, contradict."""

    def lines() -> list[ErratumFigure]:
        rows, labels, _tags = differing_rows()
        return [
            ErratumFigure(
                _("labels"), rows, len(labels), "; ".join(f"{row.id}: {row.swedish} ({row.label}; LiDiRus: {row.twin})" for row in labels)
            )
        ]

    return Erratum(
        key="diagnostics",
        title=_("A diagnostic item with the wrong label"),
        text=_(
            "SweDiagnostics and LiDiRus of Russian SuperGLUE translate the same English items, row by row, so that their labels can be "
            "laid side by side. Where they differ, one of the two is wrong."
        ),
        source=f"{SOURCE}, SweDiagnostics",
        suite=NAME,
        printed=_("Rows"),
        computed=_("Rows that differ"),
        digits=0,
        **lines_of(NAME, lines),
    )


@counted(f"{ANALOGIES}/train", f"{ANALOGIES}/test")
def analogy_faults(train: Records, test: Records) -> dict[str, tuple[int, int]]:
    """Return, for each fault, the number of candidates and of those that have it."""
    both = [*train, *test]
    items = Counter((*_question(row), row["label"], row["category"]) for row in both)
    answers = defaultdict(set)
    for row in both:
        answers[_question(row)].add(row["label"])
    seen = {pair for row in train for pair in (_question(row)[:2], (row["pair2_element1"], row["label"]))}
    shared = {(*_question(row), row["label"], row["category"]) for row in train} & {
        (*_question(row), row["label"], row["category"]) for row in test
    }
    return {
        "again": (len(both), len(both) - len(items)),
        "two answers": (len(answers), sum(len(labels) > 1 for labels in answers.values())),
        "given away": (len(both), sum(row["label"] in _question(row) for row in both)),
        "in both": (len(test), len(shared)),
        "seen": (len(test), sum((row["pair2_element1"], row["label"]) in seen for row in test)),
    }


def _question(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["pair1_element1"], row["pair1_element2"], row["pair2_element1"]


def analogies() -> Erratum:
    """Return the erratum on analogies, which are split by item and not by word pair."""

    def lines() -> list[ErratumFigure]:
        told = {
            "again": _("items that are the same as another one"),
            "two answers": _("questions with two right answers"),
            "given away": _("items whose answer stands in the question"),
            "in both": _("test items that are training items"),
            "seen": _("test items whose word pair stands in the training set"),
        }
        return [ErratumFigure(told[key], *counts) for key, counts in analogy_faults().items()]

    return Erratum(
        key="analogies",
        title=_("Analogies that repeat and give themselves away"),
        text=_(
            "SweAnalogy pairs every two word pairs of a relation, from lists that overlap, and splits the items at random, not the word "
            "pairs. So items repeat, some questions have two right answers of which one counts, and nearly every word pair that the test "
            "asks for stands in the training set."
        ),
        source=f"{SOURCE}, SweAnalogy",
        suite=NAME,
        printed=_("Among"),
        computed=_("Counted"),
        digits=0,
        **lines_of(NAME, lines),
    )


def sizes() -> Erratum:
    """Return the erratum on numbers in paper and sheets that the paper's own table contradicts."""
    tasks = load_suite(NAME).tasks
    rows = {name: tasks[name].data.rows for name in ("swefaq", "swediagnostics", "swenli")}
    lines = [
        ErratumFigure(_("SweFAQ, pairs of question and answer: section 3.1.6 and sheet"), TOLD_PAIRS, sum(rows["swefaq"].values())),
        ErratumFigure(_("SweDiagnostics: sheet"), TOLD_DIAGNOSTICS, rows["swediagnostics"]["test"]),
        ErratumFigure(_("SweNLI, training set: sheet"), TOLD_NLI, rows["swenli"]["train"]),
    ]
    return Erratum(
        key="superlim-sizes",
        title=_("Sizes that do not add up"),
        text=_(
            "Numbers in the text and in the documentation sheets that Table 1 of the same paper contradicts. The files agree with the "
            "table."
        ),
        source=_("Superlim paper and documentation sheets"),
        suite=NAME,
        printed=_("Printed"),
        computed=_("Table 1"),
        digits=0,
        lines=lines,
    )
