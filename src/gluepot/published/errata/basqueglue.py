"""Errata of BasqueGLUE: repeated sentences, copies in the test sets, tags and positions against their own scheme, sizes."""

from django.utils.translation import gettext as _

from gluepot.board.errata.claims import Erratum, ErratumFigure
from gluepot.board.errata.counting import Records, counted, lines_of, repeated, sizes_of
from gluepot.build.artefacts.features import jaccard
from gluepot.build.artefacts.rules import Threshold
from gluepot.records import Example
from gluepot.tasks.declarations import load_suite

NAME = "basqueglue"
SOURCE, PAPER = "BasqueGLUE", "BasqueGLUE paper"
SPLITS = ("train", "val", "test")
Counts = list[tuple[str, int, int]]
"""A split, its items, and those with the fault."""


@counted("basqueglue/wic/val", "basqueglue/wic/test")
def shared_sentences(val: Records, test: Records) -> dict[str, int]:
    """Count the sentences common to val and test, and the items that pair a sentence with itself."""
    here, there = ({row[field] for row in split for field in ("sentence1", "sentence2")} for split in (val, test))
    return {"shared": len(here & there), "alone": sum(row["sentence1"] == row["sentence2"] for row in [*val, *test])}


def sentences() -> Erratum:
    """Return the erratum on repeated sentences, which the paper rules out."""

    def lines() -> list[ErratumFigure]:
        found = shared_sentences()
        return [
            ErratumFigure(_("sentences of the development set that the test set has too"), 0, found["shared"]),
            ErratumFigure(_("items that pair a sentence with itself"), 0, found["alone"]),
        ]

    return Erratum(
        key="wic-sentences",
        title=_("Sentences that were not to be repeated"),
        text=_(
            "The paper says that no contextual sentence of WiC is repeated across the test and development sets. Many are, with another "
            "word marked in them, and some items show one sentence twice."
        ),
        source=f"{PAPER}, section 3.1.8",
        suite=NAME,
        printed=_("Promised"),
        computed=_("Counted"),
        digits=0,
        **lines_of(NAME, lines),
    )


def _copies(train: Records, val: Records, test: Records) -> Counts:
    known = [row["text"] for row in train]
    return [(split, len(rows), repeated(known, (row["text"] for row in rows))) for split, rows in (("val", val), ("test", test))]


@counted(*(f"basqueglue/intent/{split}" for split in SPLITS))
def intent_copies(train: Records, val: Records, test: Records) -> Counts:
    """Count the commands that repeat training commands."""
    return _copies(train, val, test)


@counted(*(f"basqueglue/bhtc/{split}" for split in SPLITS))
def topic_copies(train: Records, val: Records, test: Records) -> Counts:
    """Count the news texts that repeat training texts."""
    return _copies(train, val, test)


@counted(*(f"basqueglue/vaxx/{split}" for split in SPLITS))
def stance_copies(train: Records, val: Records, test: Records) -> Counts:
    """Count the tweets that repeat training tweets."""
    return _copies(train, val, test)


def copies() -> Erratum:
    """Return the erratum on training texts in the other splits."""

    def lines() -> list[ErratumFigure]:
        found = {"intent": intent_copies(), "bhtc": topic_copies(), "vaxx": stance_copies()}
        titles = {name: load_suite(NAME).tasks[name].title for name in found}
        return [ErratumFigure(f"{titles[name]}, {split}", items, same) for name, counts in found.items() for split, items, same in counts]

    return Erratum(
        key="copies",
        title=_("Copies of training texts"),
        text=_(
            "Duplicates were removed within the training set of BHTC; between the sets they stayed, and so did those of the dialogue "
            "commands. VaxxStance’s development set was drawn at random from tweets that had been collected more than once. Words are "
            "compared, case and punctuation aside."
        ),
        source=SOURCE,
        suite=NAME,
        printed=_("Items"),
        computed=_("Also in the training set"),
        digits=0,
        **lines_of(NAME, lines),
    )


@counted(*(f"basqueglue/slot/{split}" for split in SPLITS))
def orphan_tags(*splits: Records) -> list[int]:
    """Count the I- tags that continue no tag of their type, by split."""
    return [sum(_orphans(row["tags"]) for row in split) for split in splits]


def _orphans(tags: list[str]) -> int:
    pairs = zip(["O", *tags], tags, strict=False)
    return sum(tag.startswith("I-") and before[2:] != tag[2:] for before, tag in pairs)


@counted(*(f"basqueglue/coref/{split}" for split in SPLITS))
def word_numbers(*splits: Records) -> dict[str, int]:
    """Count all rows, and for each of the two mentions the rows whose word number is counted from 0."""
    rows = [row for split in splits for row in split]
    return {"rows": len(rows)} | {name: sum(_stands(row, name) for row in rows) for name in ("span1", "span2")}


def _stands(row: dict[str, object], name: str) -> bool:
    """Return whether a mention is found at its word number, counted from 0."""
    text, target = str(row["text"]).split(), row["target"]
    assert isinstance(target, dict)
    said = str(target[f"{name}_text"]).split()
    first = int(target[f"{name}_index"])
    return text[first : first + len(said)] == said


def annotation() -> Erratum:
    """Return the erratum on tags and word numbers that break their documented scheme."""

    def lines() -> list[ErratumFigure]:
        orphans = _("I- tags that continue nothing")
        tags = [ErratumFigure(f"{orphans}, {split}", 0, count) for split, count in zip(SPLITS, orphan_tags(), strict=True)]
        places = word_numbers()
        told = {"span1": _("first mentions at their word number, from 0"), "span2": _("second mentions at their word number, from 0")}
        return [*tags, *(ErratumFigure(told[name], places["rows"], places[name]) for name in told)]

    return Erratum(
        key="annotation",
        title=_("Tags and positions that break their own scheme"),
        text=_(
            "Slot filling is said to follow the BIO scheme, in which an entity begins with B-; many begin with I-. In EpecKorrefBin "
            "the first mention of an item is counted from word 0, the second from word 1, so that a program that trusts the numbers "
            "marks the wrong words."
        ),
        source=f"{PAPER}, sections 3.1.3 and 3.1.9",
        suite=NAME,
        printed=_("Promised"),
        computed=_("Counted"),
        digits=0,
        **lines_of(NAME, lines),
    )


@counted(*(f"basqueglue/qnli/{split}" for split in SPLITS))
def overlap_accuracy(train: Records, val: Records, test: Records) -> list[tuple[str, float]]:
    """Return the accuracy of the best threshold on the words shared by question and sentence, by split."""
    found = []
    for split, rows in zip(SPLITS, (train, val, test), strict=True):
        rule = Threshold("overlap", lambda example: jaccard(example.inputs["question"], example.inputs["sentence"]))
        examples = [Example(str(row["idx"]), row, row["label"]) for row in rows]
        rule.fit(examples)
        found.append((split, sum(a == e.target for a, e in zip(rule.predict(examples), examples, strict=True)) / len(examples)))
    return found


def overlap() -> Erratum:
    """Return the erratum on the balancing filter, which gives the label away."""

    def lines() -> list[ErratumFigure]:
        return [ErratumFigure(split, 0.5, accuracy) for split, accuracy in overlap_accuracy()]

    return Erratum(
        key="qnli-overlap",
        title=_("The overlap of words gives QNLI’s label away"),
        text=_(
            "To balance QNLI, the pairs without the answer that share the fewest words with their question were dropped. What is left "
            "tells by its overlap: who calls a pair entailment where few words are shared is right far more often than chance."
        ),
        source=f"{PAPER}, section 3.1.7",
        suite=NAME,
        printed=_("Chance"),
        computed=_("Overlap alone"),
        digits=2,
        **lines_of(NAME, lines),
    )


def sizes() -> Erratum:
    """Return the erratum on token counts that differ between paper and files."""

    def lines() -> list[ErratumFigure]:
        titles = {name: load_suite(NAME).tasks[name].title for name in ("nerc_id", "nerc_od", "slot")}
        return [
            ErratumFigure(f"{titles[name]}, {split}", told, here) for name in titles for split, told, here in sizes_of(f"{NAME}/{name}")
        ]

    return Erratum(
        key="basque-sizes",
        title=_("Sizes that differ from print"),
        text=_(
            "Table 1 counts tokens. Some of its counts are higher than those of the files: an empty sentence at the end of a file seems to "
            "have been counted as a token."
        ),
        source=f"{PAPER}, Table 1",
        suite=NAME,
        printed=_("Printed"),
        computed=_("Counted"),
        digits=0,
        **lines_of(NAME, lines),
    )
