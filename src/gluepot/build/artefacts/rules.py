"""One-feature rules: fit on some items and evaluated on others."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gluepot.records import Example

THRESHOLDS = 512
"""Maximum number of candidate cuts of a numeric feature."""


class Rule(Protocol):
    """Rule that is fit on examples and predicts the answers of others."""

    name: str

    def fit(self, examples: Sequence[Example]) -> None: ...

    def predict(self, examples: Sequence[Example]) -> list[Any]: ...


@dataclass
class Threshold:
    """Rule that predicts the most frequent answer below and above a cut, placed where training accuracy is highest."""

    name: str
    feature: Callable[[Example], float]
    cut: float = 0.0
    below: Any = None
    above: Any = None

    def fit(self, examples: Sequence[Example]) -> None:
        values = np.array([self.feature(example) for example in examples])
        names = sorted({str(example.target) for example in examples})
        codes = np.array([names.index(str(example.target)) for example in examples])
        targets = {str(example.target): example.target for example in examples}
        order = np.argsort(values, kind="stable")
        cuts = np.unique(np.quantile(values, np.linspace(0, 1, THRESHOLDS), method="nearest"))
        counts = _running_counts(codes[order], len(names))
        places = np.searchsorted(values[order], cuts, side="right")
        low, total = counts[places], counts[-1]
        right = low.max(axis=1) + (total - low).max(axis=1)
        best = int(right.argmax())
        self.cut = float(cuts[best])
        self.below = targets[names[int(low[best].argmax())]]
        self.above = targets[names[int((total - low[best]).argmax())]]

    def predict(self, examples: Sequence[Example]) -> list[Any]:
        return [self.below if self.feature(example) <= self.cut else self.above for example in examples]


def _running_counts(codes: NDArray[np.int64], labels: int) -> NDArray[np.int64]:
    """Return cumulative label counts: row n counts the first n items."""
    hits = np.zeros((len(codes) + 1, labels), dtype=np.int64)
    hits[np.arange(1, len(codes) + 1), codes] = 1
    return hits.cumsum(axis=0)


@dataclass
class SameValue:
    """Rule that predicts the most frequent answer of training items with the same value, or of all for unseen values."""

    name: str
    feature: Callable[[Example], Hashable]

    def fit(self, examples: Sequence[Example]) -> None:
        by_thing: dict[Hashable, Counter[Any]] = defaultdict(Counter)
        for example in examples:
            by_thing[self.feature(example)][example.target] += 1
        self.answers = {thing: most_frequent(counts) for thing, counts in by_thing.items()}
        self.default = most_frequent(Counter(example.target for example in examples))

    def predict(self, examples: Sequence[Example]) -> list[Any]:
        return [self.answers.get(self.feature(example), self.default) for example in examples]


@dataclass
class OneWord:
    """Rule that predicts by presence of the single most predictive word."""

    name: str
    words: Callable[[Example], Iterable[str]]

    def fit(self, examples: Sequence[Example]) -> None:
        total = Counter(example.target for example in examples)
        by_word: dict[str, Counter[Any]] = defaultdict(Counter)
        for example in examples:
            for word in set(self.words(example)):
                by_word[word][example.target] += 1
        self.default, self.word, self.answer, best = most_frequent(total), "", None, max(total.values())
        for word in sorted(by_word):
            held = by_word[word]
            rest = total - held
            right = max(held.values()) + max(rest.values(), default=0)
            if right > best:
                best, self.word, self.answer, self.default = (
                    right,
                    word,
                    most_frequent(held),
                    most_frequent(rest) if rest else most_frequent(total),
                )

    def predict(self, examples: Sequence[Example]) -> list[Any]:
        return [self.answer if self.word and self.word in set(self.words(example)) else self.default for example in examples]


@dataclass
class BestOption:
    """Rule that predicts the option with the highest merit; nothing is learned."""

    name: str
    merit: Callable[[Example, str], float]

    def fit(self, examples: Sequence[Example]) -> None:
        """Do nothing: there is nothing to learn."""

    def predict(self, examples: Sequence[Example]) -> list[Any]:
        return [self._best(example) for example in examples]

    def _best(self, example: Example) -> int:
        merits = [self.merit(example, str(option)) for option in example.inputs["options"]]
        return merits.index(max(merits))


def most_frequent(counts: Counter[Any]) -> Any:
    """Return the most frequent answer; ties go to the first by name."""
    return min(counts, key=lambda answer: (-counts[answer], str(answer)))
