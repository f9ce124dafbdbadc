"""`idioms`: which of several definitions is an idiom's? Distractors are definitions of other idioms of similar length and wording."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from gluepot.build.artefacts.features import jaccard, words
from gluepot.build.assignment import assign
from gluepot.build.distractors import Candidates, balanced_positions, insert_option
from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.reading.tables import TableRow, read_rows
from gluepot.build.workbench import Workbench

WANTED = {"idiom": ("expression", "talemaade_udtryk", "udtryk", "proverb", "phrase"), "definition": ("ddo_definition", "meaning", "gloss")}
EXAMPLE = """\
idiom	definition
kaste håndklædet i ringen	give op
slå knuder på tungen	anstrenge sig for at udtale noget"""
RARE = 0.02
"""Maximum document frequency of an informative word, as a proportion of the definitions."""


def make_idioms(bench: Workbench) -> Product:
    rows = [row for path in bench.inputs for row in read_rows(bench, path, WANTED)]
    bench.check()
    bench.count("idioms", len(rows))
    firsts = {row.text("idiom").casefold(): row for row in reversed(rows)}
    rows = bench.filter("once each", rows, lambda row: firsts[row.text("idiom").casefold()] is row)
    ties = [(row.text("idiom").casefold(), row.text("definition").casefold()) for row in rows]
    splits = assign(ties, [0] * len(rows), bench.shares, bench.seed)
    rare = _rare_words([row.text("definition") for row in rows])
    items = []
    for split in dict.fromkeys(splits):
        members = [row for row, side in zip(rows, splits, strict=True) if side == split]
        items += list(_items(members, split, bench["options"], rare, bench.rng))
    bench.count("with enough other definitions in their split", len(items))
    return Product(items, "choice")


def _rare_words(definitions: Sequence[str]) -> set[str]:
    counts = Counter(word for definition in definitions for word in set(words(definition)))
    return {word for word, count in counts.items() if count <= max(2, RARE * len(definitions))}


def _items(rows: Sequence[TableRow], split: str, count: int, rare: set[str], rng: random.Random) -> Iterator[Item]:
    """Yield items with distractors from the same split, so that no correct definition of train is a distractor in test."""
    definitions = [row.text("definition") for row in rows]
    pool, places = Candidates.of(definitions), balanced_positions(len(rows), count, rng)
    for row, place in zip(rows, places, strict=True):
        right, idiom = row.text("definition"), row.text("idiom")
        if wrong := _wrong(idiom, right, pool, count - 1, rare, rng):
            yield Item({"text": idiom, "options": insert_option(right, wrong, place), "target": place}, idiom, row.source, split=split)


def _wrong(idiom: str, right: str, pool: Candidates, count: int, rare: set[str], rng: random.Random) -> list[str] | None:
    """Return distractors, one of them with at least the correct definition's overlap with the idiom, if it has any; None if too few."""
    told, shared = set(words(right)) & rare, jaccard(right, idiom)

    def fits(other: str) -> bool:
        return other != right and not told & set(words(other))

    rivals = (pool.draw_similar(len(right), 1, lambda other: fits(other) and jaccard(other, idiom) >= shared, rng) or []) if shared else []
    others = pool.draw_similar(len(right), count - len(rivals), lambda other: fits(other) and other not in rivals, rng)
    if others is None:
        return None
    wrong = [*rivals, *others]
    rng.shuffle(wrong)
    return wrong


IDIOMS = register(
    Maker(
        "idioms",
        "Which definition belongs to an idiom? The distractors are definitions of other idioms, matched in length.",
        "a table of idioms and their definitions",
        EXAMPLE,
        make_idioms,
        (Option("options", 4, "definitions per item", least=2),),
        labelling="The definition is the table's; the others are definitions of other idioms that share no telling word with it.",
    )
)
