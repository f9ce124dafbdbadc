"""Votes on the individual decisions of an answer: the tag of each token, or whether each option is correct."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gluepot.people.votes import Vote
from gluepot.records import Example
from gluepot.statistics.agreement import UnitVotes


def decision_votes(votes: Sequence[Vote], examples: Mapping[str, Example]) -> UnitVotes:
    """Return votes with a unit per token or option."""
    return UnitVotes.of(
        ((vote.item, place), vote.rater, decision) for vote in votes for place, decision in _decisions(vote.value, examples.get(vote.item))
    )


def _decisions(value: Any, example: Example | None) -> Iterator[tuple[int, Any]]:
    if isinstance(value, frozenset | set):
        options: Iterable[Any] = example.inputs.get("options", ()) if example else range(max(value, default=-1) + 1)
        yield from ((place, place in value) for place, _ in enumerate(options))
    else:
        yield from enumerate(value)
