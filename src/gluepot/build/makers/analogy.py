"""`analogy`: a is to b as c is to what? All ordered pairs of two word pairs of the same relation."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gluepot.build.assignment import assign
from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.reading.tables import read_rows
from gluepot.build.reading.unimorph import paradigm_pairs, read_unimorph
from gluepot.build.workbench import Workbench
from gluepot.data.scaffolding.table_files import READERS
from gluepot.errors import WrongUse

WANTED = {"a": ("first", "word1", "word-1", "source"), "b": ("second", "word2", "word-2", "target")}
EXAMPLE = """\
relation	a	b
capital	Danmark	København
capital	Noreg	Oslo

or UniMorph with --features 'N;SG>N;PL':
hestur	hestar	N;NOM;INDF;PL

or a table of facts with --relation country:capital"""


@dataclass(frozen=True)
class WordPair:
    """Two words in a relation."""

    relation: str
    a: str
    b: str
    source: str


def make_analogy(bench: Workbench) -> Product:
    found = [pair for path in bench.inputs for pair in _read(bench, path)]
    bench.check()
    bench.count("word pairs", len(found))
    pairs = _filter(bench, found)
    bench.need(pairs, "word pairs are")
    slices = {"slices": {"fields": {"relation": "relation"}, "coarse": False}}
    if bench["split-by"] == "item":
        return Product(_answerable(bench, list(_items(_some(bench, pairs), ""))), "analogy", extra=slices)
    splits = assign([_words(pair) for pair in pairs], [pair.relation for pair in pairs], bench.shares, bench.seed)
    items = []
    for split in dict.fromkeys(splits):
        chosen = _some(bench, [pair for pair, side in zip(pairs, splits, strict=True) if side == split])
        items += list(_items(chosen, split))
    return Product(_answerable(bench, items), "analogy", extra=slices)


def _read(bench: Workbench, path: Path) -> Iterator[WordPair]:
    if path.suffix.lower() not in READERS:
        cells = read_unimorph(bench, path)
        if not bench["features"]:
            largest = sorted(cells, key=lambda features: -len(cells[features]))[:6]
            raise WrongUse(f"which relation? --features 'FEATURES 1>FEATURES 2'. The largest cells: {', '.join(largest)}.")
        for relation in bench["features"]:
            yield from (WordPair(relation, a, b, f"{path.name}:{line}") for a, b, line in paradigm_pairs(bench, path, cells, relation))
    elif bench["relation"]:
        yield from (pair for relation in bench["relation"] for pair in _facts(bench, path, relation))
    else:
        for row in read_rows(bench, path, WANTED, {"relation": ("category", "type")}):
            yield WordPair(row.text("relation") or path.stem, row.text("a"), row.text("b"), row.source)


def _facts(bench: Workbench, path: Path, relation: str) -> Iterator[WordPair]:
    """Yield the word pairs of two columns of a table, skipping rows with an empty cell."""
    first, colon, second = relation.partition(":")
    if not colon:
        raise WrongUse(f"--relation {relation}: two columns, as in country:capital.")
    for row in read_rows(bench, path, {}, {first: (), second: ()}):
        if first not in row.cells or second not in row.cells:
            bench.fault(path, 1, f"no columns {first} and {second}. The table has {', '.join(row.cells)}.")
            return
        if row.text(first) and row.text(second):
            yield WordPair(relation, row.text(first), row.text(second), row.source)


def _filter(bench: Workbench, pairs: Sequence[WordPair]) -> list[WordPair]:
    """Keep pairs that allow exactly one correct answer."""
    firsts = {(pair.relation, pair.a, pair.b): pair for pair in reversed(pairs)}
    left = bench.filter("once each", pairs, lambda pair: firsts[pair.relation, pair.a, pair.b] is pair)
    left = bench.filter("two different words", left, lambda pair: pair.a.casefold() != pair.b.casefold())
    if bench["multiword"] != "yes":
        left = bench.filter("single words", left, lambda pair: " " not in pair.a + pair.b)
    answers = Counter((pair.relation, pair.a.casefold()) for pair in left)
    return bench.filter("one answer to each question", left, lambda pair: answers[pair.relation, pair.a.casefold()] == 1)


def _words(pair: WordPair) -> tuple[str, str]:
    return pair.a.casefold(), pair.b.casefold()


def _some(bench: Workbench, pairs: Sequence[WordPair]) -> list[WordPair]:
    """Sample up to `pairs` word pairs of each relation."""
    by_relation: dict[str, list[WordPair]] = defaultdict(list)
    for pair in pairs:
        by_relation[pair.relation].append(pair)
    rng, most = bench.rng, bench["pairs"]
    found = []
    for members in by_relation.values():
        places = sorted(rng.sample(range(len(members)), most)) if most and len(members) > most else range(len(members))
        found += [members[place] for place in places]
    return found


def _items(pairs: Sequence[WordPair], split: str) -> Iterator[Item]:
    by_relation: dict[str, list[WordPair]] = defaultdict(list)
    for pair in pairs:
        by_relation[pair.relation].append(pair)
    for relation, members in by_relation.items():
        for shown in members:
            for asked in members:
                if shown is not asked:
                    fields = {"a": shown.a, "b": shown.b, "c": asked.a, "target": asked.b, "relation": relation}
                    yield Item(
                        fields, f"{relation} {asked.a}", asked.source if not split else f"{shown.source}, {asked.source}", split=split
                    )


def _answerable(bench: Workbench, items: Sequence[Item]) -> list[Item]:
    if bench["split-by"] == "item":
        for number, item in enumerate(items):
            item.group = f"{item.group} {number}"  # as published: items are drawn independently, whatever they share
    bench.count("ordered pairs of pairs", len(items))
    return bench.filter("answer not in the question", items, lambda item: not _shown(item))


def _shown(item: Item) -> bool:
    return str(item.row["target"]).casefold() in (str(item.row[name]).casefold() for name in ("a", "b", "c"))


ANALOGY = register(
    Maker(
        "analogy",
        "a is to b as c is to what?",
        "a table of word pairs (a, b, relation), UniMorph with --features, or a table of facts with --relation",
        EXAMPLE,
        make_analogy,
        (
            Option("features", [], "two cells of a UniMorph paradigm, such as 'N;NOM;SG>N;NOM;PL'; can be repeated", many=True),
            Option("relation", [], "two columns of a table of facts, such as country:capital; can be repeated", many=True),
            Option("pairs", 60, "maximum number of word pairs per relation and split; 0 for all"),
            Option("split-by", "pair", "keep word pairs in one split, or assign items independently (as published)", ("pair", "item")),
            Option("multiword", "no", "keep pairs with multiword expressions", ("no", "yes")),
        ),
        labelling="The word list or table names the answer.",
    )
)
