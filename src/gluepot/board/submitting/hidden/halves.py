"""A secret split of a test with hidden labels into two halves: one for private scores, one for published scores."""

import hmac
from dataclasses import replace
from typing import Literal

from gluepot.board.submitting.hidden.labels import LabelledSubmission
from gluepot.records import Example
from gluepot.submissions.pairing import PairedAnswers

Half = Literal["feedback", "official"]
LEAST = 20
"""Minimum number of items of a reported slice: a score over fewer would reveal their labels."""


def half_of(given: LabelledSubmission, half: Half) -> LabelledSubmission:
    """Return the submission restricted to one half of each task with hidden labels; other tasks are unchanged."""
    pairs = []
    for paired in given.submission.pairs:
        known = given.labels.get((paired.task.name, paired.split))
        pairs.append(paired if known is None else _kept(paired, members(paired.examples, known.salt, half)))
    return LabelledSubmission(replace(given.submission, pairs=pairs), given.labels)


def _kept(paired: PairedAnswers, numbers: list[int]) -> PairedAnswers:
    return replace(paired, examples=[paired.examples[n] for n in numbers], outputs=[paired.outputs[n] for n in numbers])


def members(examples: list[Example], salt: str, half: Half) -> list[int]:
    """Return the indices of a half's items: stratified by label, with groups undivided, in an order keyed by the salt.

    >>> items = [Example(str(n), {}, "yes" if n < 6 else "no") for n in range(12)]
    >>> a, b = members(items, "salt", "feedback"), members(items, "salt", "official")
    >>> sorted(a + b) == list(range(12)), [sum(n < 6 for n in part) for part in (a, b)]
    (True, [3, 3])
    """
    clusters: dict[str, list[int]] = {}
    for number, example in enumerate(examples):
        clusters.setdefault(example.group if example.group is not None else f"item {example.id}", []).append(number)
    secret = {name: hmac.new(salt.encode(), name.encode(), "sha256").hexdigest() for name in clusters}
    order = sorted(clusters, key=lambda name: (str(examples[clusters[name][0]].target), secret[name]))
    return sorted(number for name in order[half == "official" :: 2] for number in clusters[name])
