"""Checks of positions other than character spans: spans by word number, answers by their start in a passage."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gluepot.data.checks.findings import Finding, excerpt
from gluepot.data.checks.material import CHECKS, Material, Split
from gluepot.plurals import pluralize

ALL = 0.95
"""Share of rows that must agree before a column is reported as 1-based."""
_EDGES = re.compile(r"^\W+|\W+$")
_INDEX = re.compile(r"(.+)_index")


class WordSpan(NamedTuple):
    """A span given by its words and the number of its first word."""

    row: int
    text: str
    words: str
    number: int

    def at(self, shift: int) -> bool:
        """Return whether the words are at the number plus `shift`."""
        first = self.number + shift
        there = self.text.split()[first : first + len(self.words.split())] if first >= 0 else []
        return bare(" ".join(there)) == bare(self.words)


def bare(words: str) -> str:
    """Return words without case and outer punctuation.

    >>> bare("«Автобуса»,")
    'автобуса'
    """
    return _EDGES.sub("", words).casefold()


@CHECKS.register("places")
def check_word_numbers(material: Material) -> Iterator[Finding]:
    for split in material.splits.values():
        for name in _columns(split):
            yield from _word_numbers(material, split, name)
        if "answer-start" in split.shape.inputs:
            yield from _answers(material, split)


def _columns(split: Split) -> list[str]:
    """Return the names k for which records have k_text and k_index, as in {"span1_text": "hon", "span1_index": 3}."""
    target = split.records[0].get("target") if split.records else None
    if not isinstance(target, dict):
        return []
    names = (match[1] for key in target if (match := _INDEX.fullmatch(key)))
    return sorted(name for name in names if f"{name}_text" in target)


def _word_numbers(material: Material, split: Split, name: str) -> Iterator[Finding]:
    places = list(_places(split, name))
    wrong = [place for place in places if not place.at(0)]
    left = [place for place in places if place.at(-1)]
    if wrong and len(left) >= ALL * len(places):
        rows = "all" if len(left) == len(places) else f"{len(left):,} of"
        message = f"{name}_index is 1-based in {rows} {pluralize(len(places), 'row')}"
        yield material.problem("span-index", split.name, message, _shown(split, left))
    elif wrong:
        message = f"{len(wrong):,} of {pluralize(len(places), 'row')} without {name}_text at {name}_index"
        yield material.problem("span-mismatch", split.name, message, _shown(split, wrong))


def _places(split: Split, name: str) -> Iterator[WordSpan]:
    for row, (record, example) in enumerate(zip(split.records, split.examples, strict=True)):
        target, text = record.get("target"), example.inputs.get("text")
        if isinstance(target, dict) and isinstance(text, str):
            words, index = target.get(f"{name}_text"), target.get(f"{name}_index")
            if isinstance(words, str) and isinstance(index, int):
                yield WordSpan(row, text, words, index)


def _shown(split: Split, places: list[WordSpan]) -> Iterator[str]:
    for place in places:
        there = " ".join(place.text.split()[place.number : place.number + len(place.words.split())])
        yield f"{split.place(place.row)} {excerpt(place.words)}, word {place.number} is {excerpt(there)}"


def _answers(material: Material, split: Split) -> Iterator[Finding]:
    wrong, seen = [], 0
    for row, example in enumerate(split.examples):
        answers, starts = split.shape.target(split.records[row]), example.inputs.get("answer-start")
        texts, starts = (value if isinstance(value, list) else [value] for value in (answers, starts))
        context = example.inputs.get("context")
        seen += 1
        if isinstance(context, str) and not _stand(context, texts, starts):
            wrong.append(f"{split.place(row)} {excerpt(texts[0])}")
    if wrong:
        message = f"{len(wrong):,} of {pluralize(seen, 'item')} whose answer is not at its start"
        yield material.problem("span-mismatch", split.name, message, wrong)


def _stand(context: str, texts: list[object], starts: list[object]) -> bool:
    """Return whether each answer is found at its start; empty and withheld answers have none."""
    if len(texts) != len(starts):
        return not any(texts)
    pairs = ((text, start) for text, start in zip(texts, starts, strict=True) if isinstance(text, str) and text)
    return all(isinstance(start, int) and start >= 0 and context.startswith(text, start) for text, start in pairs)
