"""What was answered, and what it scored."""

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET, Struct, UnsetType, to_builtins

from gluepot.records.tabular import Tabular, even_rows


class Example(Struct, frozen=True):
    """One item of a split."""

    id: str
    inputs: dict[str, Any]
    target: Any = None
    """The gold answer in the form the task's kind gives it; None where it is withheld."""
    group: str | None = None
    """What must be resampled together carries the same group."""
    tags: tuple[str, ...] = ()
    """The slices this item belongs to."""


class AnswerTrace(Struct, frozen=True, omit_defaults=True):
    """How a language model came to an answer: kept beside it, so that nothing has to be asked again."""

    way: str
    """likelihood, first-token, constrained, or text."""
    text: str | None = None
    """What it wrote, thinking left out."""
    raw: int | str | None = None
    """What the answer were without regard to the options' lengths."""
    read: bool = True
    """Whether an answer was found in the text."""
    cut: int = 0
    """Shots that did not fit into the model."""
    tokens: int = 0
    """Tokens that the question, shots included, came to."""
    written: int = 0
    """Tokens that it wrote."""
    thought: int = 0
    """Characters of thinking that were cut off."""


PROBABILITY = "probability"
LIKELIHOOD_PER_BYTE = "log-likelihood-per-byte"


class Prediction(Struct, frozen=True):
    """What a model answered for one item."""

    id: str
    output: Any
    scores: list[float] | None = None
    """How strongly each option was spoken for."""
    said: AnswerTrace | None = None
    measure: str = PROBABILITY
    """What the scores are: probability, log-likelihood-per-byte, or empty where whoever wrote them does not say."""


class Problem(Struct, frozen=True):
    """One thing wrong with an input, with the place and the next step."""

    code: str
    message: str
    file: str | None = None
    line: int | None = None
    id: str | None = None
    hint: str = ""
    count: int | UnsetType = UNSET
    """How many problems this one stands for, where the rest of a sort is only counted."""

    def __str__(self) -> str:
        place = ":".join(str(p) for p in (self.file, self.line) if p is not None)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} {self.hint}".rstrip() + f" [{self.code}]"


def count_problems(problems: Iterable[Problem]) -> int:
    """How many there are, those included that are counted and not listed.

    >>> count_problems([Problem("unknown-id", "no item 7."), Problem("more", "… 6,252 more problems.", count=6252)])
    6253
    """
    return sum(problem.count or 1 for problem in problems)


class AllItems(Struct, frozen=True):
    """A metric over all items of a split, those that were left out counted too: what ranks."""

    value: float
    low: float | None
    high: float | None


class Score(Struct, frozen=True):
    """One number, with the interval that a bootstrap over items (or groups) gives it."""

    task: str
    split: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    """Items (or groups) that the value is over."""
    primary: bool
    """Whether it ranks: the task's first metric, unless too few items were answered."""
    slice: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    """Why the value is null."""
    left_out: int | UnsetType = UNSET
    """Items that the system skipped where the task allows it."""
    coverage: float | UnsetType = UNSET
    """The share of items that were answered, where a task lets answers out; the value is over these."""
    all_items: AllItems | UnsetType = UNSET
    """The same over all items, where some were left out: what ranks, and what the suite's mean takes."""
    unranked: str | UnsetType = UNSET
    """Why the value does not rank."""
    invalid: int | UnsetType = UNSET
    """Answers that were counted as wrong because they are no answer."""
    clipped: int | UnsetType = UNSET
    """Answers off the scale that were taken as its nearer end."""
    spread: float | UnsetType = UNSET
    """Standard deviation between seeds, where the value is the mean over several and the ends are those of their intervals."""


class StatedScore(Struct, frozen=True):
    """A score that came with the predictions, beside ours: never trusted, only compared."""

    task: str
    split: str
    metric: str
    stated: float
    computed: float | None
    agrees: bool


class Mean(Struct, frozen=True):
    """A suite's one number; null, with the reason, where a task is missing."""

    split: str
    value: float | None
    low: float | None
    high: float | None
    tasks: int
    reason: str | UnsetType = UNSET
    note: str | UnsetType = UNSET
    """What must be known of the value: tasks of which items were left out."""


class Result(Tabular, Struct, frozen=True):
    """The scores of one set of predictions."""

    suite: str
    version: str
    model: str
    scores: list[Score]
    problems: list[Problem]
    overall: list[Mean] = []
    notices: list[str] = []
    stated: list[StatedScore] = []
    data: dict[str, str] = {}
    """`task/split` to the fingerprint of the files that were scored against."""

    def rows(self) -> list[dict[str, Any]]:
        """A row a score, those of slices included."""
        return even_rows([to_builtins(score) for score in self.scores])

    @property
    def caption(self) -> str:
        return f"{self.model} on {self.suite} {self.version}"
