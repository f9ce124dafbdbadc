"""Statistics on how a language model produced its answers, aggregated from the traces stored with them."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from gluepot.plurals import pluralize
from gluepot.records import Prediction


class AnswerStats(Struct, frozen=True):
    """Statistics on one task's answers: the methods used, and what went wrong."""

    ways: dict[str, int]
    """Number of answers by method: likelihood, first-token, constrained or text."""
    items: int
    unread: int = 0
    """Texts without a readable answer, counted as wrong."""
    cut: int = 0
    """Items whose prompt lost shots because it was too long."""
    length_matters: int = 0
    """Items whose answer changes if likelihoods are not divided by length."""
    tokens: int = 0
    """Tokens of the prompts, shots included, as if nothing were shared."""
    written: int = 0
    thought: int = 0
    """Characters of thinking that were cut off."""


def aggregate_traces(predictions: Iterable[Prediction]) -> AnswerStats | None:
    """Aggregate the traces of predictions; None if no prediction has one."""
    told = [(p, p.said) for p in predictions if p.said is not None]
    if not told:
        return None
    notes = [said for _, said in told]
    return AnswerStats(
        ways=dict(Counter(said.way for said in notes)),
        items=len(notes),
        unread=sum(not said.read for said in notes),
        cut=sum(said.cut > 0 for said in notes),
        length_matters=sum(said.raw is not None and said.raw != p.output for p, said in told),
        tokens=sum(said.tokens for said in notes),
        written=sum(said.written for said in notes),
        thought=sum(said.thought for said in notes),
    )


def describe_stats(asked: AnswerStats) -> str:
    """Describe the statistics in words.

    >>> describe_stats(AnswerStats({"text": 40}, 40, unread=3))
    'text; 3 of 40 (7.5 %) without a readable answer, counted as wrong'
    >>> describe_stats(AnswerStats({"first-token": 38, "text": 2}, 40))
    'first-token (38) and text (2)'
    """
    several = len(asked.ways) > 1
    parts = [" and ".join(f"{way} ({count:,})" if several else way for way, count in asked.ways.items())]
    if asked.unread:
        parts.append(
            f"{asked.unread:,} of {asked.items:,} ({asked.unread / asked.items:.1%}) without a readable answer, counted as wrong".replace(
                "%", " %"
            )
        )
    if asked.cut:
        parts.append(f"{pluralize(asked.cut, 'prompt')} lost shots")
    if asked.length_matters:
        parts.append(
            f"divided by length, {asked.length_matters:,} of {pluralize(asked.items, 'answer differs', 'answers differ')} from the raw ones"
        )
    if asked.thought:
        parts.append(f"{pluralize(asked.thought, 'character')} of thinking cut off")
    return "; ".join(parts)
