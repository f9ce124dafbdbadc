"""Parity: consistency of answers when only an irrelevant attribute (a pronoun's gender) changes."""

from collections.abc import Hashable, Sequence

from gluepot.metrics import INVALID
from gluepot.metrics.sample import Means


class GroupParity(Means):
    """Share of groups with one valid answer throughout; the unit is the group: 624 items of SweWinogender are 208 triples.

    >>> from gluepot.metrics import METRICS
    >>> METRICS["gender-parity"](["n"] * 4, ["n", "n", "n", "e"], groups=["1", "1", "2", "2"])
    0.5
    """

    unit = "groups"

    def __init__(self, gold: Sequence[Hashable], predicted: Sequence[Hashable], groups: Sequence[Hashable]) -> None:
        answers: dict[Hashable, set[Hashable]] = {}
        for group, answer in zip(groups, predicted, strict=True):
            answers.setdefault(group, set()).add(answer)
        super().__init__([float(len(given) == 1 and INVALID not in given) for given in answers.values()])
