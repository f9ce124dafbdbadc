"""Span F1 of tag sequences, the tags of all sentences laid end to end and compared as arrays."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gluepot.metrics.sample import Ints, OverlapF1, encode
from gluepot.plurals import pluralize

Tags = Sequence[Sequence[str]]
GAP = ""
"""What stands after each sentence."""


class TagReading(NamedTuple):
    """What a tag says: the type of its token, whether it always opens a span, whether a span may start or end there."""

    kind: str
    opens: bool = False
    inside: bool = True


ReadTag = Callable[[str], TagReading]


def read_conll(tag: str) -> TagReading:
    """B- opens a span, and so does an I- after O or after another type (conlleval's rules).

    >>> read_conll("B-PER").opens, read_conll("I-PER").opens, read_conll("O").inside
    (True, False, False)
    """
    if tag in ("O", "o", GAP):
        return TagReading("", inside=False)
    prefix, _, kind = tag.partition("-")
    return TagReading(kind or prefix, opens=prefix in ("B", "b"))


def without_misc(read: ReadTag) -> ReadTag:
    """The same reading with every MISC tag taken as O."""
    return lambda tag: read("O") if tag[2:].upper() == "MISC" else read(tag)


class SpanF1(OverlapF1):
    """
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
    """The spans of all sentences laid end to end with a gap after each: where each ends, and a number for its start and type."""

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
    """What a column over tags says of each token, and of the gap (the first tag) after each sentence."""
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
    """
    >>> from gluepot.metrics import METRICS
    >>> METRICS["span-f1-no-misc"]([["B-PER", "B-MISC"]], [["B-PER", "O"]])
    1.0
    """

    read = staticmethod(without_misc(read_conll))
