"""`distractors`: distractors that are hard for a baseline, by adversarial filtering with gluepot's own models as the adversary."""

import random
from collections.abc import Sequence
from typing import Any

from gluepot.build.distractors import Candidates, balanced_positions, insert_option
from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.reading.tables import TableRow, read_rows
from gluepot.build.workbench import Workbench
from gluepot.records import Example, Source, Task

WANTED = {"text": ("context", "question", "ctx"), "answer": ("ending", "right", "correct")}
OPTIONAL = {"group": ("source_id", "document")}
EXAMPLE = """\
text	answer
Hon satte sig på cykeln och	trampade hem genom regnet.
Han öppnade dörren och	klev in i hallen."""
LEVEL = 0.01
"""Minimum decrease in the adversary's accuracy for another round."""


class Puzzle:
    """Item under construction: text, correct ending, and current wrong endings."""

    def __init__(self, row: TableRow, wrong: list[str]) -> None:
        self.row, self.wrong = row, wrong
        self.text, self.right = row.text("text"), row.text("answer")

    def example(self, number: int) -> Example:
        return Example(str(number), {"text": self.text, "options": [self.right, *self.wrong]}, 0)


def make_distractors(bench: Workbench) -> Product:
    rows = [row for path in bench.inputs for row in read_rows(bench, path, WANTED, OPTIONAL)]
    bench.check()
    firsts = {(row.text("text"), row.text("answer")): row for row in reversed(rows)}
    bench.count("rows", len(rows))
    rows = bench.filter("once each", rows, lambda row: firsts[row.text("text"), row.text("answer")] is row)
    rng, count = bench.rng, bench["options"]
    pool = Candidates.of([row.text("answer") for row in rows])
    puzzles = [Puzzle(row, wrong) for row in rows if (wrong := _drawn(row, pool, count - 1, rng, set()))]
    bench.count("with enough other endings", len(puzzles))
    bench.need(puzzles, "items are")
    _filter(bench, puzzles, pool, rng)
    places = balanced_positions(len(puzzles), count, rng)
    items = [
        Item(
            {"text": puzzle.text, "options": insert_option(puzzle.right, puzzle.wrong, place), "target": place},
            puzzle.row.text("group") or puzzle.text,
            puzzle.row.source,
        )
        for puzzle, place in zip(puzzles, places, strict=True)
    ]
    return Product(items, "choice")


def _drawn(row: TableRow, pool: Candidates, count: int, rng: random.Random, taken: set[str]) -> list[str] | None:
    right = row.text("answer")
    return pool.draw_similar(len(right), count, lambda other: other.casefold() != right.casefold() and other not in taken, rng)


def _filter(bench: Workbench, puzzles: Sequence[Puzzle], pool: Candidates, rng: random.Random) -> None:
    """Fit on one half and replace easy distractors in the other, and vice versa, until the adversary's accuracy levels off."""
    before = 1.0
    for number in range(bench["rounds"]):
        bench.say(f"round {number + 1} …")
        order = list(range(len(puzzles)))
        rng.shuffle(order)
        half = len(order) // 2
        hits = [
            hit
            for fit, rest in ((order[:half], order[half:]), (order[half:], order[:half]))
            for hit in _round(bench, puzzles, fit, rest, pool, rng)
        ]
        accuracy = sum(hits) / len(hits)
        bench.note(f"round {number + 1}: the adversary ({bench['adversary']}) is right in {accuracy:.3f}")
        if before - accuracy < LEVEL and number:
            break
        before = accuracy


def _round(
    bench: Workbench, puzzles: Sequence[Puzzle], fit: Sequence[int], rest: Sequence[int], pool: Candidates, rng: random.Random
) -> list[bool]:
    """Replace the easiest distractor of items solved by the adversary; return whether each item was solved before."""
    from gluepot.models.baselines.tfidf import TermModel

    model = TermModel(bench["adversary"], bench.seed)
    model.fit(_TASK, [puzzles[place].example(place) for place in fit], [])
    hits = []
    for place, prediction in zip(rest, model.predict(_TASK, [puzzles[place].example(place) for place in rest]), strict=True):
        puzzle, scores = puzzles[place], prediction.scores or []
        hits.append(prediction.output == 0)
        if prediction.output == 0 and scores:
            easiest = min(range(len(puzzle.wrong)), key=lambda number: scores[number + 1])
            if new := _drawn(puzzle.row, pool, 1, rng, set(puzzle.wrong)):
                puzzle.wrong[easiest] = new[0]
    return hits


_FIELDS: dict[str, Any] = {"id": "id", "text": "text", "options": "options", "target": "target"}
_TASK = Task("", "", "choice", "und", [], ["accuracy"], "", "", "", Source(files={}), _FIELDS, suite="adversary", name="adversary")

DISTRACTORS = register(
    Maker(
        "distractors",
        "Which ending is correct? The distractors are those that are hardest for a baseline.",
        "a table of texts and their correct endings",
        EXAMPLE,
        make_distractors,
        (
            Option("options", 4, "endings per item", least=2),
            Option("rounds", 5, "maximum number of filtering rounds"),
            Option(
                "adversary",
                "tfidf-logistic",
                "the baseline for adversarial filtering",
                ("tfidf-logistic", "tfidf-svm", "tfidf-forest", "tfidf-tree"),
            ),
        ),
        labelling="The right ending is the table's; the others are those of other rows.",
    )
)
