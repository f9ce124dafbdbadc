"""Span F1 of tag sequences, the tags of all sentences laid end to end and compared as arrays."""

from collections.abc import Callable, Sequence
from itertools import chain, repeat

import numpy as np

from gluepot.metrics.sample import Ints, OverlapF1

Tags = Sequence[Sequence[str]]
ReadTag = Callable[[str], tuple[str, str]]
"""What a tag does (B opens a span, I opens or continues one, O is outside) and its type."""
GAP = ""


def read_conll(tag: str) -> tuple[bool, str]:
    """B- opens a span, and so does an I- after O or after another type (conlleval's rules).

    >>> read_conll("B-PER"), read_conll("I-PER"), read_conll("O")
    (('B', 'PER'), ('I', 'PER'), ('O', ''))
    """
    if tag in ("O", "o", GAP):
        return "O", ""
    prefix, _, kind = tag.partition("-")
    return "B" if prefix in ("B", "b") else "I", kind or prefix


def read_scandeval14(tag: str) -> tuple[bool, str]:
    """Tags as seqeval sees them in lower case: no prefix is known, so a span is a run of one type, and "o" is of type "_".

    So is the gap between sentences: a run of "o" goes on behind it, is a span only if a named one follows in its
    sentence, and has then begun where the last span began. The figure depends on the order of the sentences.

    >>> read_scandeval14("b-per"), read_scandeval14("O"), read_scandeval14(GAP)
    (('I', 'per'), ('I', '_'), ('O', '_'))
    """
    return "O" if tag == GAP else "I", tag.lower().partition("-")[2] or "_"


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
        types: dict[str, int] = {}
        starts, ends, kinds = self._spans(gold, types)
        found_starts, found_ends, found_kinds = self._spans(predicted, types)
        _, g, p = np.intersect1d(ends, found_ends, assume_unique=True, return_indices=True)
        hits = ends[g][(starts[g] == found_starts[p]) & (kinds[g] == found_kinds[p])]
        sentence = np.repeat(np.arange(len(gold)), [len(tags) + 1 for tags in gold])
        super().__init__(*(np.bincount(sentence[s], minlength=len(gold)) for s in (hits, ends, found_ends)))

    def _spans(self, sentences: Tags, types: dict[str, int]) -> tuple[Ints, Ints, Ints]:
        """Start, end and type of each span, positions counted over all sentences with a gap after each."""
        flat = list(chain.from_iterable(chain.from_iterable(zip(sentences, repeat((GAP,)), strict=False))))
        index = {tag: number for number, tag in enumerate(set(flat))}
        readings = [type(self).read(tag) for tag in index]
        code = np.fromiter(map(index.__getitem__, flat), np.intp, len(flat))
        kind = np.array([types.setdefault(name, len(types)) for _, name in readings], np.intp)[code]
        opens, inside = (np.array([mark in marks for mark, _ in readings])[code] for marks in ("B", "BI"))
        changes = kind[1:] != kind[:-1]
        starts = inside & (opens | np.r_[True, changes])
        ends = np.flatnonzero(inside & np.r_[starts[1:] | changes, True])
        latest_start = np.maximum.accumulate(np.where(starts, np.arange(len(flat)), 0))
        return latest_start[ends], ends, kind[ends]


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
