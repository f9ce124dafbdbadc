"""Span F1 of tag sequences, the tags of all sentences laid end to end and compared as arrays."""

from collections.abc import Callable, Sequence
from itertools import chain, repeat

import numpy as np

from gluepot.metrics.sample import Ints, OverlapF1

Tags = Sequence[Sequence[str]]
ReadTag = Callable[[str], tuple[bool, str]]
"""Whether a tag always opens a span, and its type; the empty type is outside every span."""
GAP = ""


def read_conll(tag: str) -> tuple[bool, str]:
    """B- opens a span, and so does an I- after O or after another type (conlleval's rules).

    >>> read_conll("B-PER"), read_conll("I-PER"), read_conll("O")
    ((True, 'PER'), (False, 'PER'), (False, ''))
    """
    if tag in ("O", "o", GAP):
        return False, ""
    prefix, _, kind = tag.partition("-")
    return prefix in ("B", "b"), kind or prefix


def read_scandeval14(tag: str) -> tuple[bool, str]:
    """Tags as seqeval sees them in lower case: no prefix is known, so a span is a run of one type, and "o" is a type.

    >>> read_scandeval14("b-per"), read_scandeval14("O")
    ((False, 'per'), (False, '_'))
    """
    return False, "" if tag == GAP else tag.lower().partition("-")[2] or "_"


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
        for number, (g, p) in enumerate(zip(gold, predicted, strict=True)):
            if len(g) != len(p):
                raise ValueError(f"sentence {number} has {len(g)} gold tags and {len(p)} predicted ones")
        types: dict[str, int] = {"": 0}
        starts, ends, kinds = self._spans(gold, types)
        found_starts, found_ends, found_kinds = self._spans(predicted, types)
        _, g, p = np.intersect1d(starts, found_starts, assume_unique=True, return_indices=True)
        hits = starts[g][(ends[g] == found_ends[p]) & (kinds[g] == found_kinds[p])]
        sentence = np.repeat(np.arange(len(gold)), [len(tags) + 1 for tags in gold])
        super().__init__(*(np.bincount(sentence[s], minlength=len(gold)) for s in (hits, starts, found_starts)))

    def _spans(self, sentences: Tags, types: dict[str, int]) -> tuple[Ints, Ints, Ints]:
        """Start, end and type of each span, positions counted over all sentences with a gap after each."""
        flat = list(chain.from_iterable(chain.from_iterable(zip(sentences, repeat((GAP,)), strict=False))))
        index = {tag: number for number, tag in enumerate(set(flat))}
        readings = [type(self).read(tag) for tag in index]
        code = np.fromiter(map(index.__getitem__, flat), np.intp, len(flat))
        kind = np.array([types.setdefault(name, len(types)) for _, name in readings], np.intp)[code]
        opens = np.array([opening for opening, _ in readings], bool)[code]
        starts = (kind > 0) & (opens | (kind != np.r_[0, kind[:-1]]))
        ends = (kind > 0) & np.r_[starts[1:] | (kind[1:] != kind[:-1]), True]
        return np.flatnonzero(starts), np.flatnonzero(ends), kind[starts]


class SpanF1NoMisc(SpanF1):
    """
    >>> from gluepot.metrics import METRICS
    >>> METRICS["span-f1-no-misc"]([["B-PER", "B-MISC"]], [["B-PER", "O"]])
    1.0
    """

    read = staticmethod(without_misc(read_conll))


class SpanF1ScandEval14(SpanF1):
    """
    >>> from gluepot.metrics import METRICS
    >>> METRICS["span-f1-scandeval14"]([["B-PER", "O", "O"]], [["B-PER", "O", "O"]])
    1.0
    >>> METRICS["span-f1-scandeval14"]([["B-PER", "O", "O"]], [["O", "O", "O"]])
    0.0
    """

    read = staticmethod(read_scandeval14)


class SpanF1NoMiscScandEval14(SpanF1):
    """
    >>> from gluepot.metrics import METRICS
    >>> METRICS["span-f1-no-misc-scandeval14"]([["B-PER", "B-MISC"]], [["B-PER", "O"]])
    1.0
    """

    read = staticmethod(without_misc(read_scandeval14))
