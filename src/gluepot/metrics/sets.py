"""Metrics of questions with several correct answers, given as sets of option indices."""

from collections.abc import Collection, Sequence

from gluepot.metrics.sample import Means, OverlapF1


class AnswerF1(OverlapF1):
    """F1 of the positive class over all options of all questions (F1a).

    >>> from gluepot.metrics import METRICS
    >>> METRICS["answer-f1"]([{0, 2}, {1}], [{0}, {1, 2}])
    0.6666666666666666
    """

    def __init__(self, gold: Sequence[Collection[int]], predicted: Sequence[Collection[int]]) -> None:
        hits = [float(len(set(g) & set(p))) for g, p in zip(gold, predicted, strict=True)]
        super().__init__(hits, [len(set(g)) for g in gold], [len(set(p)) for p in predicted])


class QuestionExactMatch(Means):
    """Share of questions with all options answered correctly.

    >>> from gluepot.metrics import METRICS
    >>> METRICS["question-exact-match"]([{0, 2}, {1}], [{0, 2}, {1, 2}])
    0.5
    """

    def __init__(self, gold: Sequence[Collection[int]], predicted: Sequence[Collection[int]]) -> None:
        super().__init__([float(set(g) == set(p)) for g, p in zip(gold, predicted, strict=True)])
