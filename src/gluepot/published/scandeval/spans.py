"""Span F1 as computed by ScandEval 14 on lower-cased tags, only to recompute its published figures."""

from gluepot.metrics.spans import GAP, SpanF1, TagReading, without_misc


def read_scandeval14(tag: str) -> TagReading:
    """Read a tag as seqeval does in lower case: no prefix is known, so a span is a run of one type, and "o" is a type.

    seqeval closes each sentence with an upper-case O, of the type of "o", where no span starts or ends: a run of "o"
    continues in the next sentence, and is lost if an entity comes first there.

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
