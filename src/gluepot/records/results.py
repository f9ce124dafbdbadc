"""Records of examples, predictions, problems and scores."""

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET, Struct, UnsetType, to_builtins

from gluepot.records.tabular import Tabular, even_rows


class Example(Struct, frozen=True):
    """Item of a split."""

    id: str
    inputs: dict[str, Any]
    target: Any = None
    """Gold answer in the form of the task's kind; None if it is withheld."""
    group: str | None = None
    """Items with the same group are resampled together."""
    tags: tuple[str, ...] = ()
    """Slices of the item."""


class AnswerTrace(Struct, frozen=True, omit_defaults=True):
    """Trace of a language model's answer, stored with it so that the model need not be queried again."""

    way: str
    """One of likelihood, first-token, constrained, text."""
    text: str | None = None
    """Generated text without the reasoning."""
    raw: int | str | None = None
    """Answer without length normalisation of the options."""
    read: bool = True
    """Whether an answer was parsed from the text."""
    cut: int = 0
    """Number of shots that did not fit into the context window."""
    tokens: int = 0
    """Tokens of the prompt, including shots."""
    written: int = 0
    """Generated tokens."""
    thought: int = 0
    """Characters of reasoning that were removed."""


PROBABILITY = "probability"
LIKELIHOOD_PER_BYTE = "log-likelihood-per-byte"


class Prediction(Struct, frozen=True):
    """Prediction of a model for one item."""

    id: str
    output: Any
    scores: list[float] | None = None
    """Score of each option."""
    said: AnswerTrace | None = None
    measure: str = PROBABILITY
    """Unit of the scores: probability, log-likelihood-per-byte, or empty if unknown."""


class Problem(Struct, frozen=True):
    """Error in an input, with its location and the next step."""

    code: str
    message: str
    file: str | None = None
    line: int | None = None
    id: str | None = None
    hint: str = ""
    count: int | UnsetType = UNSET
    """Number of problems that this one summarises, where the remaining ones of a kind are only counted."""

    def __str__(self) -> str:
        place = ":".join(str(p) for p in (self.file, self.line) if p is not None)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} {self.hint}".rstrip() + f" [{self.code}]"


def count_problems(problems: Iterable[Problem]) -> int:
    """Return the number of problems, including those that are counted and not listed.

    >>> count_problems([Problem("unknown-id", "no item 7."), Problem("more", "… 6,252 more problems.", count=6252)])
    6253
    """
    return sum(problem.count or 1 for problem in problems)


class AllItems(Struct, frozen=True):
    """Metric over all items of a split, including skipped ones; this value is ranked."""

    value: float
    low: float | None
    high: float | None


class Score(Struct, frozen=True):
    """Value of a metric with its confidence interval, by bootstrap over items (or groups)."""

    task: str
    split: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    """Number of items (or groups) behind the value."""
    primary: bool
    """Whether the score is ranked: the task's first metric, unless too few items were answered."""
    slice: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    """Reason for a null value."""
    left_out: int | UnsetType = UNSET
    """Number of items that the system skipped, where the task allows it."""
    coverage: float | UnsetType = UNSET
    """Share of answered items, where a task allows null predictions; the value is computed over these."""
    all_items: AllItems | UnsetType = UNSET
    """Metric over all items, if some were skipped; used for ranking and for the suite's mean."""
    unranked: str | UnsetType = UNSET
    """Reason why the value is not ranked."""
    invalid: int | UnsetType = UNSET
    """Number of invalid answers, counted as wrong."""
    clipped: int | UnsetType = UNSET
    """Number of answers outside the scale, clipped to its nearer end."""
    spread: float | UnsetType = UNSET
    """Standard deviation between seeds, if the value is the mean over several and the bounds are those of their intervals."""


class StatedScore(Struct, frozen=True):
    """Score stated by a submission next to the computed one, for comparison only."""

    task: str
    split: str
    metric: str
    stated: float
    computed: float | None
    agrees: bool


class Mean(Struct, frozen=True):
    """Aggregate score of a suite; null, with the reason, if a task is missing."""

    split: str
    value: float | None
    low: float | None
    high: float | None
    tasks: int
    reason: str | UnsetType = UNSET
    note: str | UnsetType = UNSET
    """Caveat of the value: tasks with skipped items."""


class Result(Tabular, Struct, frozen=True):
    """Scores of one set of predictions."""

    suite: str
    version: str
    model: str
    scores: list[Score]
    problems: list[Problem]
    overall: list[Mean] = []
    notices: list[str] = []
    stated: list[StatedScore] = []
    data: dict[str, str] = {}
    """`task/split` to the fingerprint of the gold files."""

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per score, including those of slices."""
        return even_rows([to_builtins(score) for score in self.scores])

    @property
    def caption(self) -> str:
        return f"{self.model} on {self.suite} {self.version}"
