"""Span F1 of tag sequences, computed on the concatenated tags of all sentences as arrays."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gluepot.metrics.sample import Ints, OverlapF1, encode
from gluepot.plurals import pluralize

Tags = Sequence[Sequence[str]]
GAP = ""
"""Separator tag after each sentence."""


class TagReading(NamedTuple):
    """Interpretation of a tag: the type of its token, whether it always opens a span, whether it is inside a span."""

    kind: str
    opens: bool = False
    inside: bool = True


ReadTag = Callable[[str], TagReading]


def read_conll(tag: str) -> TagReading:
    """Interpret a tag by conlleval's rules: B- opens a span, and so does an I- after O or another type.

    >>> read_conll("B-PER").opens, read_conll("I-PER").opens, read_conll("O").inside
    (True, False, False)
    """
    if tag in ("O", "o", GAP):
        return TagReading("", inside=False)
    prefix, _, kind = tag.partition("-")
    return TagReading(kind or prefix, opens=prefix in ("B", "b"))


def without_misc(read: ReadTag) -> ReadTag:
    """Wrap a tag reader so that every MISC tag is read as O."""
    return lambda tag: read("O") if tag[2:].upper() == "MISC" else read(tag)


class SpanF1(OverlapF1):
    """Micro F1 over spans, by conlleval's rules.

    >>> from gluepot.metrics import METRICS
    >>> METRICS["span-f1"]([["B-PER", "I-PER", "O", "B-LOC"]], [["I-PER", "I-PER", "O", "B-ORG"]])
    0.5
    """

    read: ReadTag = staticmethod(read_conll)

    def __init__(self, gold: Tags, predicted: Tags) -> None:
        lengths = _lengths(gold, predicted)
        sentence = np.repeat(np.arange(len(gold)), lengths + 1)
        is_token = np.ones(len(sentence), bool)
        is_token[np.cumsum(lengths + 1) - 1] = False
        tags, (_, *sides) = encode([GAP], _flat(gold), _flat(predicted))
        readings = [type(self).read(tag) for tag in tags]
        there, found = (SpanArray(readings, codes, is_token) for codes in sides)
        names = np.zeros(len(sentence), np.intp)
        names[found.ends] = found.names
        hits = there.ends[names[there.ends] == there.names]
        super().__init__(*(np.bincount(sentence[ends], minlength=len(gold)) for ends in (hits, there.ends, found.ends)))


class SpanArray:
    """Spans of the concatenated sentences, with a gap after each: their ends, and an identifier of start and type."""

    def __init__(self, readings: Sequence[TagReading], codes: Ints, is_token: NDArray[np.bool_]) -> None:
        kinds, (numbers,) = encode([reading.kind for reading in readings])
        kind, opens, inside = (
            _with_gaps(column, codes, is_token)
            for column in (numbers.astype(np.int32), np.array([r.opens for r in readings]), np.array([r.inside for r in readings]))
        )
        breaks = opens | np.concatenate([[True], kind[1:] != kind[:-1]])
        starts = np.concatenate([[0], np.flatnonzero(inside & breaks)])
        self.ends = np.flatnonzero(inside & np.roll(breaks, -1))
        start = starts[np.searchsorted(starts[1:], self.ends, side="right")]
        self.names = start * len(kinds) + kind[self.ends] + 1


def _with_gaps(column: NDArray[Any], codes: Ints, is_token: NDArray[np.bool_]) -> NDArray[Any]:
    """Expand a column over tags to the tokens, and to the gap (the first tag) after each sentence."""
    spread = np.full(len(is_token), column[0])
    spread[is_token] = column[codes]
    return spread


def _flat(sentences: Tags) -> list[str]:
    flat: list[str] = []
    for tags in sentences:
        flat += tags  # half the time of itertools.chain
    return flat


def _lengths(gold: Tags, predicted: Tags) -> Ints:
    lengths, given = (np.fromiter(map(len, side), np.intp, len(side)) for side in (gold, predicted))
    for number in np.flatnonzero(lengths != given):
        raise ValueError(f"sentence {number} has {pluralize(int(lengths[number]), 'gold tag')} and {given[number]} predicted ones")
    return lengths


class SpanF1NoMisc(SpanF1):
    """Micro F1 over spans, with every MISC tag read as O.

    >>> from gluepot.metrics import METRICS
    >>> METRICS["span-f1-no-misc"]([["B-PER", "B-MISC"]], [["B-PER", "O"]])
    1.0
    """

    read = staticmethod(without_misc(read_conll))
