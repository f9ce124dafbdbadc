"""`wic`: does a word mean the same in two sentences? Pairs of sense-annotated occurrences."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from gluepot.build.assignment import assign
from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.pairing import SensePairs
from gluepot.build.reading.senses import Occurrence, Relations, read_senses
from gluepot.build.workbench import Workbench
from gluepot.data.checks.annotations.spans import MarkedSpan, judge

EXAMPLE = """\
sentence	start	end	lemma	pos	sense	supersense
Hon gick till banken med pengarna .	14	20	bank	n	bank.1	noun.group
De satt på banken vid ån .	11	17	bank	n	bank.2	noun.object

or two tables that share sentence_id, a third with sense, synset and hypernyms, or CoNLL-U with --sense-key"""


def make_wic(bench: Workbench) -> Product:
    occurrences, relations = read_senses(bench)
    bench.check()
    bench.count("occurrences", len(occurrences))
    occurrences = _filter(bench, occurrences)
    words: dict[str, list[Occurrence]] = defaultdict(list)
    for one in occurrences:
        words[one.word].append(one)
    bench.count("words", len(words))
    ambiguous = {word: members for word, members in words.items() if len({one.sense for one in members}) > 1}
    bench.count("words with two senses or more", len(ambiguous))
    pairs = {word: SensePairs(members) for word, members in ambiguous.items()}
    _count_pairs(bench, pairs, relations)
    left = {word: pairs[word].without_related(relations, bench["related"] == "drop") for word in ambiguous}
    items = [item for split, part in _split(bench, ambiguous).items() for item in _draw(bench, split, part, left)]
    return Product(items, "word-in-context", ("true", "false"), balanced=True)


def _filter(bench: Workbench, occurrences: Sequence[Occurrence]) -> list[Occurrence]:
    least, most = bench["least"], bench["most"]
    wanted = {part for part in bench["pos"].split(",") if part}
    kept = bench.filter(
        f"words in the sentence {least} to {most}", occurrences, lambda one: least <= len(one.text.split()) <= most or " " not in one.text
    )
    return bench.filter(f"parts of speech {bench['pos']}", kept, lambda one: one.pos in wanted) if wanted else kept


def _count_pairs(bench: Workbench, pairs: dict[str, SensePairs], relations: Relations) -> None:
    """Count pairs in two different sentences, and those of different senses left after every filter."""
    bench.count("pairs of one sense", sum(one.same() for one in pairs.values()))
    bench.count("pairs of two senses", sum(one.different(lambda _a, _b: True) for one in pairs.values()))
    if bench["related"] == "drop":
        apart = sum(one.different(lambda a, b: not relations.one_supersense(a, b)) for one in pairs.values())
        bench.count("of two supersenses", apart)
        bench.count("neither parent nor sister", sum(one.different(lambda a, b: not relations.related(a, b)) for one in pairs.values()))


def _split(bench: Workbench, words: dict[str, list[Occurrence]]) -> dict[str, dict[str, list[Occurrence]]]:
    """Return occurrences by split and word; the unit of `split-by` (word, sentence or occurrence) is never in two splits."""
    occurrences = [one for members in words.values() for one in members]
    sides = assign([[_kept_apart(bench, one)] for one in occurrences], [0] * len(occurrences), bench.shares, bench.seed)
    found: dict[str, dict[str, list[Occurrence]]] = {split: defaultdict(list) for split in bench.shares if bench.shares[split]}
    for one, side in zip(occurrences, sides, strict=True):
        found[side][one.word].append(one)
    return found


def _kept_apart(bench: Workbench, one: Occurrence) -> str:
    match bench["split-by"]:
        case "word":
            return one.word
        case "sentence":
            return one.text
    return f"{one.text} {one.start} {one.word}"


def _draw(bench: Workbench, split: str, words: dict[str, list[Occurrence]], allowed: dict[str, SensePairs]) -> Iterator[Item]:
    """Draw as many pairs of the same sense as of two for each word, so that the word is not predictive; reuse occurrences only in train."""
    rng, most = bench.rng, bench["per-word"] if split != "train" else bench["per-word-train"]
    for word in sorted(words):
        clear = [one for one in words[word] if _clear(one)]
        same, different = allowed[word].draw(clear, max(1, most // 2), rng, once=split != "train")
        number = min(len(same), len(different))
        for label, chosen in (("true", same[:number]), ("false", different[:number])):
            for a, b in chosen:
                yield _item(a, b, label, split)


def _clear(one: Occurrence) -> bool:
    """Return whether no other word of the sentence resembles the lemma more than the marked one."""
    return not list(judge(MarkedSpan(0, one.text, one.start, one.end, one.lemma, exact=False), whole=False))


def _item(a: Occurrence, b: Occurrence, label: str, split: str) -> Item:
    fields = {"text": a.text, "start": a.start, "end": a.end, "pair": b.text, "pair-start": b.start, "pair-end": b.end}
    return Item({**fields, "word": a.lemma, "target": label}, a.word, f"{a.source}, {b.source}", split=split)


WIC = register(
    Maker(
        "wic",
        "Does a word mean the same in two sentences?",
        "a table of occurrences with senses, with separate tables of sentences and relations if needed; or CoNLL-U with senses in MISC",
        EXAMPLE,
        make_wic,
        (
            Option("split-by", "sentence", "unit that stays in one split", ("word", "sentence", "occurrence")),
            Option(
                "related",
                "drop",
                "pairs of different senses that have the same supersense or are parent and child or siblings",
                ("drop", "keep"),
            ),
            Option("least", 10, "minimum number of words per sentence"),
            Option("most", 50, "maximum number of words per sentence"),
            Option("pos", "", "parts of speech, such as n,v (default: all)"),
            Option("per-word", 4, "maximum number of items per word in dev and test"),
            Option("per-word-train", 40, "maximum number of items per word in train"),
            Option("coarse", "", "coarse senses: the part before the first match of this pattern, such as [.-]"),
            Option("sense-key", "Sense", "for CoNLL-U: the key of the sense in MISC"),
        ),
        labelling="By the senses that annotators gave the occurrences: one sense is true, two are false.",
    )
)
