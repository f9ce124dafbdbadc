"""Metrics of short answers with one or more gold strings: exact match and token overlap."""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence

from gluepot.metrics.sample import Means

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalise(answer: str, articles: bool = False) -> str:
    """Lower-case, remove ASCII punctuation and collapse whitespace; `articles` also removes English articles (SQuAD).

    >>> normalise("  В «Москве», вчера! ")
    'в «москве» вчера'
    """
    folded = answer.lower().translate(_PUNCTUATION)
    return " ".join((_ARTICLES.sub(" ", folded) if articles else folded).split())


class ExactMatch(Means):
    """Share of items whose normalised answer equals a gold answer.

    >>> from gluepot.metrics import METRICS
    >>> METRICS["exact-match"]([["Косово", "в Косово"], ["ООН"]], ["косово.", "ЕС"])
    0.5
    """

    def __init__(self, gold: Sequence[str | Sequence[str]], predicted: Sequence[str], articles: bool = False) -> None:
        super().__init__(_best(gold, predicted, articles, lambda g, p: float(g == p)))


class TokenF1(Means):
    """Mean token overlap F1 with the nearest gold answer.

    >>> from gluepot.metrics import METRICS
    >>> round(METRICS["token-f1"]([["26 marts 2015"]], ["marts 2015"]), 6)
    0.8
    """

    def __init__(self, gold: Sequence[str | Sequence[str]], predicted: Sequence[str], articles: bool = False) -> None:
        super().__init__(_best(gold, predicted, articles, _overlap))


def _best(gold: Sequence[str | Sequence[str]], predicted: Sequence[str], articles: bool, judge: Callable[[str, str], float]) -> list[float]:
    values = []
    for accepted, answer in zip(gold, predicted, strict=True):
        references = [accepted] if isinstance(accepted, str) else accepted
        given = normalise(answer, articles)
        values.append(max((judge(normalise(g, articles), given) for g in references), default=float(not given)))
    return values


def _overlap(gold: str, predicted: str) -> float:
    g, p = gold.split(), predicted.split()
    if not g or not p:
        return float(g == p)
    shared = (Counter(g) & Counter(p)).total()
    return 2 * shared / (len(g) + len(p))
