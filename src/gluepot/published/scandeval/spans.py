"""Span F1 as ScandEval 14 computed it, of lower-cased tags: to recompute what it published, and for nothing else."""

from gluepot.metrics.spans import GAP, SpanF1, TagReading, without_misc


def read_scandeval14(tag: str) -> TagReading:
    """Tags as seqeval sees them in lower case: no prefix is known, so a span is a run of one type, and "o" is a type.

    seqeval closes each sentence with an upper-case O, of the type of "o", where no span starts or ends: a run of "o"
    goes on into the next sentence, and is lost if an entity comes first there.

    >>> read_scandeval14("b-per").kind, read_scandeval14("O").kind, read_scandeval14(GAP).inside
    ('per', '_', False)
    """
    return TagReading(tag.lower().partition("-")[2] or "_", inside=tag != GAP)


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
