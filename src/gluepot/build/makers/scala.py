"""`scala`: is a sentence grammatical? Treebank sentences, each paired with itself after a deletion or swap of words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gluepot.build.corruption import PROTECTED, PROTECTED_2022, SIGNS, TaggedTokens, corrupt
from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.reading.conllu import ConlluSentence, stream_conllu
from gluepot.build.workbench import Workbench, gc_disabled, sample
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize

SIZES = {"train": 512, "dev": 128, "test": 1024}
"""Number of sentences; each gives two items."""
LEAST_TEST = 128
FEW = {"train": 64, "dev": 32}
"""Sizes if there are too few sentences even for the smallest test set: the rest is the test set."""
SHORTEST, LONGEST = 2, 5_000
LABELS = ("correct", "incorrect")
EXAMPLE = """\
# sent_id = 1
# text = Hann keypti bókina í gær.
1	Hann	hann	PRON	_	_	2	nsubj	_	_
2	keypti	kaupa	VERB	_	_	0	root	_	_
3	bókina	bók	NOUN	_	_	2	obj	_	_
4	í	í	ADP	_	_	5	case	_	_
5	gær	gær	ADV	_	_	2	obl	_	SpaceAfter=No
6	.	.	PUNCT	_	_	2	punct	_	_"""


@dataclass(slots=True)
class TreebankSentence:
    """Compact record of a sentence: a treebank may have a hundred thousand."""

    text: str
    """`# text`, which the filters use."""
    tags: tuple[str, ...]
    """Tags of the tokens that the filters count."""
    tokens: TaggedTokens
    joined: str
    """Text of the tokens."""
    source: str


@gc_disabled()
def make_scala(bench: Workbench) -> Product:
    known: dict[str, str] = {}  # equal strings are stored once: a treebank has few distinct words and tags
    sentences = [_compact(sentence, bench, known) for path in bench.inputs for sentence in stream_conllu(bench, path)]
    bench.check()
    bench.count("sentences", len(sentences))
    taken = {text for sentence in sentences for text in (sentence.text, sentence.joined)}
    kept = _filter(bench, sentences)
    drawn = _draw(bench, kept)
    pairs = {split: list(_pairs(bench, [kept[place] for place in places], taken)) for split, places in drawn.items()}
    _count(bench, drawn, pairs)
    items = [item for split in ("train", "dev", "test") for item in _shuffled(pairs[split], split, bench.seed)]
    return Product(items, "classification", LABELS, balanced=True, ordered=True)


def _compact(sentence: ConlluSentence, bench: Workbench, known: dict[str, str]) -> TreebankSentence:
    for column in (sentence.forms, sentence.tags):
        column[:] = map(known.setdefault, column, column)
    tags, tokens = _tokens(sentence, bench)
    text, joined = sentence.text, tokens.text()
    return TreebankSentence(text, tags, tokens, text if joined == text else joined, sentence.source)


def _tokens(sentence: ConlluSentence, bench: Workbench) -> tuple[tuple[str, ...], TaggedTokens]:
    """Return the tags that the filters count, and the surface tokens."""
    forms, tags = tuple(sentence.forms), tuple(sentence.tags)
    if sentence.plain:
        return tags, TaggedTokens(forms, tags, None if bench["join"] == "rules" else sentence.glues(range(len(forms))))
    counted: Sequence[int] = range(len(forms))
    if bench["rules"] != "2022":  # a range token replaces its words; empty nodes outside of ranges count, as they do upstream
        counted = [place for place in counted if not sentence.inner[place]]
        tags = tuple(map(sentence.first_tag, counted))
    if bench["join"] == "rules":
        return tags, TaggedTokens(tuple(forms[place] for place in counted), tags)
    surface = sentence.surface()
    of_surface = tuple(map(sentence.first_tag, surface))
    return tags, TaggedTokens(tuple(forms[place] for place in surface), of_surface, sentence.glues(surface))


def _filter(bench: Workbench, sentences: list[TreebankSentence]) -> list[TreebankSentence]:
    """Apply the published filters in their order."""
    firsts: dict[str, TreebankSentence] = {}
    for sentence in sentences:
        firsts.setdefault(sentence.text, sentence)
    kept = list(firsts.values())
    bench.count("no duplicates", len(kept))
    kept = bench.filter("more than 5 tokens", kept, lambda s: len(s.tags) > 5)
    kept = bench.filter("more than 5 parts of speech", kept, lambda s: len(set(s.tags)) > 5)
    kept = bench.filter("quotation marks in pairs", kept, lambda s: s.text.count('"') % 2 == 0)
    kept = bench.filter("begins with a word", kept, lambda s: s.tags[0] not in SIGNS)
    kept = bench.filter("at most one =", kept, lambda s: s.text.count("=") <= 1)
    return bench.filter("no SLUTORD", kept, lambda s: "SLUTORD" not in s.text)


def _draw(bench: Workbench, kept: Sequence[TreebankSentence]) -> dict[str, list[int]]:
    """Return indices by split, sampled as by pandas: dev from all, test from the rest, train from the remainder."""
    sizes = _sizes(bench, len(kept))
    left, drawn = list(range(len(kept))), {}
    for split in ("dev", "test", "train"):
        chosen = sample(len(left), sizes[split], bench.seed)
        drawn[split] = [left[place] for place in chosen]
        taken = set(chosen)
        left = [place for number, place in enumerate(left) if number not in taken]
    return drawn


def _sizes(bench: Workbench, count: int) -> dict[str, int]:
    """Return the number of sentences per split: as requested, or the largest of the usual sizes that fit."""
    if bench["sizes"]:
        sizes = _told_sizes(bench["sizes"])
        if sum(sizes.values()) > count:
            raise WrongUse(f"--sizes asks for {pluralize(sum(sizes.values()), 'sentence')}, and {count:,} are left after the filters.")
        return sizes
    test = SIZES["test"]
    while test >= LEAST_TEST:
        if SIZES["dev"] + test + SIZES["train"] <= count:
            return SIZES | {"test": test}
        test //= 2
    if count <= (least := sum(FEW.values())):
        raise WrongUse(f"{pluralize(count, 'sentence')} left after the filters: more than {least} are needed. --sizes draws fewer.")
    bench.note("too few sentences for the usual sizes: train 64, dev 32, test the rest")
    return FEW | {"test": count - sum(FEW.values())}


def _told_sizes(text: str) -> dict[str, int]:
    parts = text.split(",")
    if len(parts) != 3 or not all(part.strip().isdecimal() for part in parts):
        raise WrongUse(f"--sizes {text}: sentences for train, dev and test, as in 512,128,1024.")
    return dict(zip(("train", "dev", "test"), map(int, parts), strict=True))


Pair = tuple[Item, Item]


def _pairs(bench: Workbench, sentences: Sequence[TreebankSentence], taken: set[str]) -> Iterator[Pair]:
    """Yield each sentence with its corruption; those too short, too long or without a corruption are left out."""
    protected = PROTECTED_2022 if bench["rules"] == "2022" else PROTECTED
    rng = bench.rng
    for sentence in sentences:
        fits = bench["rules"] == "2022" or SHORTEST <= len(sentence.text) <= LONGEST
        found = corrupt(sentence.tokens, protected, taken, rng) if fits else None
        if found:
            yield (
                _item(sentence, sentence.joined, "correct", "none"),
                _item(sentence, found[0], "incorrect", found[1]),
            )


def _item(sentence: TreebankSentence, text: str, label: str, way: str) -> Item:
    return Item({"text": text, "target": label, "corruption": way}, sentence.source, sentence.source)


def _count(bench: Workbench, drawn: dict[str, list[int]], pairs: dict[str, list[Pair]]) -> None:
    bench.count("drawn", sum(map(len, drawn.values())))
    bench.count("2 to 5,000 characters, and can be made wrong", sum(map(len, pairs.values())))


def _shuffled(pairs: list[Pair], split: str, seed: int) -> Iterator[Item]:
    """Yield the correct, then the incorrect items, shuffled together."""
    items = [item for side in (0, 1) for item in (pair[side] for pair in pairs)]
    for place in sample(len(items), len(items), seed):
        items[place].split = split
        yield items[place]


SCALA = register(
    Maker(
        "scala",
        "Is a sentence grammatical? Treebank sentences, and the same with a word deleted or two neighbours swapped.",
        "CoNLL-U files of one or more treebanks, in the order train, dev, test",
        EXAMPLE,
        make_scala,
        (
            Option(
                "rules",
                "today",
                "version of the rules for tokens and protected words: today's, or those of 2022 (also parts of multiword tokens)",
                ("today", "2022"),
            ),
            Option(
                "join",
                "space-after",
                "detokenisation: by SpaceAfter, or by the published joining rules",
                ("space-after", "rules"),
            ),
            Option(
                "sizes", "", "sizes of train, dev and test, such as 512,128,1024 (default: these, with the test set halved until it fits)"
            ),
        ),
        seed=4242,
    )
)
