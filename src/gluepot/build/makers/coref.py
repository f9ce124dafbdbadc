"""`coref`: do two mentions in the same or adjacent sentences corefer? Pairs from coreference annotation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from gluepot.build.assignment import assign
from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.matching import match_pairs
from gluepot.build.reading.conllu import ConlluSentence, read_conllu
from gluepot.build.reading.entities import Mention, mentions_of
from gluepot.build.spans import word_index
from gluepot.build.workbench import Workbench

EXAMPLE = """\
# newdoc id = frétt-1
# global.Entity = GRP-etype-infstat
1	Anna	Anna	PROPN	_	_	2	nsubj	_	Entity=(1-person-new)
2	sefur	sofa	VERB	_	_	0	root	_	_

1	Hún	hún	PRON	_	_	2	nsubj	_	Entity=(1-person-giv)"""
CALIPER = 3.0
"""Maximum difference in similarity (0 to 100) between a true pair and its matched false pair."""
DROPPED = 0.25
"""Proportion of true pairs, the most similar ones, dropped by the published filter."""


@dataclass(frozen=True)
class MentionPair:
    """Two mentions in one sentence or in two consecutive ones."""

    document: str
    sentences: tuple[ConlluSentence, ...]
    first: Mention
    second: Mention

    @property
    def corefers(self) -> bool:
        return self.first.entity == self.second.entity

    @property
    def length(self) -> int:
        """Length of the item's text."""
        return sum(len(sentence.text) for sentence in self.sentences)

    @property
    def similarity(self) -> float:
        return fuzz.ratio(self.first.text.casefold(), self.second.text.casefold())


def make_coref(bench: Workbench) -> Product:
    pairs = list(_read(bench))
    bench.check()
    true = bench.filter("true pairs", pairs, lambda pair: pair.corefers)
    false = bench.filter("usable false pairs", pairs, lambda pair: not pair.corefers and _usable(pair))
    documents = sorted({pair.document for pair in (*true, *false)})
    bench.need(documents, "pairs are")
    sizes = {name: sum(pair.document == name for pair in true) for name in documents}
    sides = dict(zip(documents, _assign(bench, documents, sizes), strict=True))
    items: list[Item] = []
    for split in dict.fromkeys(sides.values()):
        ours, theirs = ([pair for pair in part if sides[pair.document] == split] for part in (true, false))
        items += [_item(pair, split) for pair in _choose(bench, ours, theirs)]
    bench.count(f"pairs, negatives {bench['negatives']}", len(items))
    return Product(items, "coreference", ("true", "false"), balanced=True)


def _assign(bench: Workbench, documents: Sequence[str], sizes: dict[str, int]) -> list[str]:
    """Assign documents to splits, weighted by their number of true pairs."""
    rows = [name for name in documents for _ in range(max(1, sizes[name]))]
    sides = dict(zip(rows, assign([[name] for name in rows], [0] * len(rows), bench.shares, bench.seed), strict=True))
    return [sides[name] for name in documents]


def _read(bench: Workbench) -> Iterator[MentionPair]:
    sentences, mentions = 0, 0
    entities: set[str] = set()
    pairs: list[MentionPair] = []
    for path in bench.inputs:
        fields: list[str] = []
        before: tuple[ConlluSentence, list[Mention]] | None = None
        for number, sentence in enumerate(read_conllu(bench, path)):
            fields = sentence.comments.get("global.Entity", "").split("-") if "global.Entity" in sentence.comments else fields
            sentence.document = sentence.document or path.name
            found = list(mentions_of(sentence, number, fields))
            sentences, mentions = sentences + 1, mentions + len(found)
            entities |= {mention.entity for mention in found}
            pairs += _within(sentence, found) if bench["distance"] in ("same", "both") else []
            if before and before[0].document == sentence.document and bench["distance"] in ("next", "both"):
                pairs += [MentionPair(sentence.document, (before[0], sentence), a, b) for a in before[1] for b in found]
            before = sentence, found
    bench.count("sentences", sentences)
    bench.count("mentions", mentions)
    bench.count("entities", len(entities))
    yield from pairs


def _within(sentence: ConlluSentence, mentions: Sequence[Mention]) -> list[MentionPair]:
    """Return the non-overlapping pairs of mentions of one sentence."""
    ordered = sorted(mentions, key=lambda mention: (mention.start, mention.end))
    found = [(a, b) for place, a in enumerate(ordered) for b in ordered[place + 1 :] if a.end <= b.start]
    return [MentionPair(sentence.document, (sentence,), a, b) for a, b in found]


def _usable(pair: MentionPair) -> bool:
    """Return whether a false pair is useful: exactly one pronoun, or mentions of the same type."""
    return pair.first.pronoun != pair.second.pronoun or pair.first.kind == pair.second.kind


def _choose(bench: Workbench, true: list[MentionPair], false: list[MentionPair]) -> list[MentionPair]:
    """Choose true pairs and as many false ones of similar similarity, or apply the published filter, which drops the easiest pairs."""
    if bench["negatives"] == "published":
        kept = sorted(true, key=lambda pair: Levenshtein.normalized_similarity(pair.first.text, pair.second.text))
        kept = kept[: max(1, round(len(kept) * (1 - DROPPED)))]
        near = sorted(false, key=lambda pair: -fuzz.token_set_ratio(pair.first.text, pair.second.text))
        return [*kept, *near[: len(kept)]]
    others = [pair for pair in false if pair.first.text.casefold() != pair.second.text.casefold()]
    kinds = sorted({_sort(pair) for pair in true})
    found: list[MentionPair] = []
    for kind in kinds:  # a pair of a pronoun and a name is never matched with two names
        ours, theirs = [pair for pair in true if _sort(pair) == kind], [pair for pair in others if _sort(pair) == kind]
        values = [[(pair.similarity, pair.length) for pair in side] for side in (ours, theirs)]
        matched = match_pairs(values[0], values[1], CALIPER, bench.rng)
        found += [pair for a, b in matched for pair in (ours[a], theirs[b])]
    return found


def _sort(pair: MentionPair) -> tuple[bool, bool, int]:
    return pair.first.pronoun, pair.second.pronoun, len(pair.sentences)


def _item(pair: MentionPair, split: str) -> Item:
    texts = [sentence.surface_text() for sentence in pair.sentences]
    shift = len(texts[0]) + 1 if len(texts) > 1 else 0
    text = " ".join(texts)
    fields: dict[str, object] = {"text": text}
    for name, mention, offset in (("first", pair.first, 0), ("second", pair.second, shift)):
        start = mention.start + offset
        fields |= {name: mention.text, f"{name}-start": start, f"{name}-end": mention.end + offset, f"{name}-word": word_index(text, start)}
    return Item({**fields, "target": "true" if pair.corefers else "false"}, pair.document, pair.sentences[0].source, split=split)


COREF = register(
    Maker(
        "coref",
        "Do two mentions in a text refer to the same entity?",
        "CoNLL-U with Entity= in MISC, as CorefUD has it",
        EXAMPLE,
        make_coref,
        (
            Option("distance", "both", "mentions in the same sentence, in adjacent sentences, or both", ("same", "next", "both")),
            Option(
                "negatives",
                "matched",
                "negative pairs as similar as positive ones, or the published filter (drops the easiest pairs)",
                ("matched", "published"),
            ),
        ),
        labelling="By the annotation of entities: mentions of one entity are true.",
    )
)
