"""`synonyms`: which word is a synonym? One correct option; the distractors are unrelated in meaning and similar in form."""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping

from gluepot.build.distractors import Candidates, balanced_positions, insert_option
from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.reading.mythes import Meaning, read_mythes
from gluepot.build.workbench import Workbench

EXAMPLE = """\
UTF-8
snabb|1
adj|kvick|rask|hastig"""
STEM = 4
"""Length of the prefix that word and synonym may not share: TV-apparat as a synonym of TV is trivial."""


def make_synonyms(bench: Workbench) -> Product:
    meanings = [meaning for path in bench.inputs for meaning in read_mythes(bench, path)]
    bench.check()
    bench.count("entries", len({meaning.word for meaning in meanings}))
    near = _neighbours(meanings)
    kept = _questions(bench, meanings)
    bench.need(kept, "words are")
    pools = {shape: Candidates.of(words) for shape, words in _by_shape(near).items()}
    items = list(_items(bench, kept, near, pools))
    bench.count("with enough distractors", len(items))
    return Product(items, "choice")


def _neighbours(meanings: list[Meaning]) -> dict[str, set[str]]:
    """Map words to their synonyms in either direction."""
    near: dict[str, set[str]] = defaultdict(set)
    for meaning in meanings:
        for synonym in meaning.synonyms:
            near[meaning.word].add(synonym)
            near[synonym].add(meaning.word)
    return near


def _by_shape(near: Mapping[str, object]) -> dict[str, list[str]]:
    shapes: dict[str, list[str]] = defaultdict(list)
    for word in sorted(near):
        shapes[_shape(word)].append(word)
    return shapes


def _shape(word: str) -> str:
    """Return the visible form of a word: capitals, spaces, hyphens."""
    return f"{word[:1].isupper():d}{word.isupper() and len(word) > 1:d}{' ' in word:d}{'-' in word:d}"


Question = tuple[Meaning, str]


def _questions(bench: Workbench, meanings: list[Meaning]) -> list[Question]:
    """Return each single word once, with a random synonym."""
    rng = bench.rng
    by_word: dict[str, list[Question]] = defaultdict(list)
    for meaning in meanings:
        for synonym in meaning.synonyms:
            if _another(meaning.word, synonym):
                by_word[meaning.word].append((meaning, synonym))
    bench.count("a synonym that begins otherwise", len(by_word))
    return [rng.choice(by_word[word]) for word in sorted(by_word) if " " not in word]


def _another(word: str, synonym: str) -> bool:
    a, b = word.casefold(), synonym.casefold()
    return a[:STEM] != b[:STEM] and a not in b and b not in a


def _items(bench: Workbench, kept: list[Question], near: Mapping[str, set[str]], pools: Mapping[str, Candidates]) -> Iterator[Item]:
    count, rng = bench["options"], bench.rng
    chosen = kept
    if bench["items"] and len(kept) > bench["items"]:
        chosen = [kept[place] for place in sorted(rng.sample(range(len(kept)), bench["items"]))]
    places = balanced_positions(len(chosen), count, rng)
    for (meaning, answer), place in zip(chosen, places, strict=True):
        wrong = _wrong(meaning.word, answer, near, pools[_shape(answer)], count - 1, rng)
        if wrong:
            fields = {"text": meaning.word, "options": insert_option(answer, wrong, place), "target": place}
            yield Item(fields, meaning.word, f"{bench.inputs[0].name}:{meaning.line}", ties=(meaning.word.casefold(), answer.casefold()))


def _wrong(word: str, answer: str, near: Mapping[str, set[str]], pool: Candidates, count: int, rng: random.Random) -> list[str] | None:
    """Return words not within two synonym steps of word or answer, similar to the answer in length and shape; None if too few."""
    close = {word, answer}
    for _ in range(2):
        close |= {other for one in close for other in near.get(one, ())}

    def fits(other: str) -> bool:
        return other not in close and _another(word, other) and other.casefold() != answer.casefold()

    return pool.draw_similar(len(answer), count, fits, rng)


SYNONYMS = register(
    Maker(
        "synonyms",
        "Which of several words is a synonym?",
        "a thesaurus in MyThes form (.dat): the encoding, then word|n and n lines pos|synonym|…",
        EXAMPLE,
        make_synonyms,
        (Option("options", 5, "options per item", least=2), Option("items", 2000, "maximum number of items; 0 for all")),
        labelling="The thesaurus names the synonym; no distractor is within two synonym steps of word or answer.",
    )
)
