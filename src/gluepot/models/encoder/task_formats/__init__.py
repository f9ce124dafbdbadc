"""Conversion of each kind of task for encoders: rows of pieces, the net for them, and predictions from its outputs."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gluepot.models.encoder.preprocessing.tokenization import Ids, Tokenization, TokenizedRow
from gluepot.models.protocols import Settings
from gluepot.records import Example, Prediction, Task
from gluepot.registry import Registry

Floats = NDArray[np.float32]
Loss = Literal["label", "number", "right", "one-of-row", "one-of-group"]
DIGITS = 6
"""Decimals of stored probabilities: more is numerical noise."""


@dataclass
class EncodedRows:
    """Rows in columns. A row has one output, or one per mark."""

    ids: list[Ids] = field(default_factory=list)
    types: list[Ids] = field(default_factory=list)
    marks: list[Ids] = field(default_factory=list)
    """Places in the row that the net reads."""
    notes: list[Ids] = field(default_factory=list)
    """Meaning of the marks (a word's number, a piece's characters): for the task format, not for the net."""
    owner: list[int] = field(default_factory=list)
    """Number of the example that a row belongs to; rows of one example are consecutive."""
    cut: set[int] = field(default_factory=set)
    """Truncated or split examples."""

    def add(self, owner: int, row: TokenizedRow, marks: Any = (), notes: Any = ()) -> None:
        self.ids.append(row.ids)
        self.types.append(row.types)
        self.marks.append(np.asarray(marks, np.int32))
        self.notes.append(np.asarray(notes, np.int32))
        self.owner.append(owner)

    def __len__(self) -> int:
        return len(self.ids)

    def by_example(self, count: int) -> list[list[int]]:
        """Return the row numbers of each example."""
        rows: list[list[int]] = [[] for _ in range(count)]
        for number, owner in enumerate(self.owner):
            rows[owner].append(number)
        return rows


class TaskFormat(ABC):
    """Format of one kind of task, for one task's labels. Nets: `sequence`, `tokens`, `answer`, `spans`, `spans-and-first`."""

    net = "sequence"
    loss: Loss = "label"
    grouped = False
    """Whether rows of one example must be trained together."""

    def __init__(self, task: Task, settings: Settings) -> None:
        self.task, self.settings = task, settings

    @property
    def outputs(self) -> int:
        return max(1, len(self.task.labels))

    def prepare(self, train: list[Example]) -> None:  # noqa: B027  most have nothing to look for
        """Inspect the training targets before anything is encoded."""

    def state(self) -> dict[str, float]:
        """Return the results of `prepare`, to be saved with the weights."""
        return {}

    def restore(self, state: dict[str, float]) -> None:  # noqa: B027
        """Restore the results of `state`."""

    @abstractmethod
    def encode(self, tokenization: Tokenization, examples: list[Example]) -> EncodedRows: ...

    @abstractmethod
    def gold(self, examples: list[Example], encoded: EncodedRows) -> list[Floats]:
        """Return the gold outputs of each row."""

    @abstractmethod
    def answer(self, example: Example, outputs: list[Floats], notes: list[Ids]) -> Prediction:
        """Return the prediction from the outputs of an example's rows."""


TASK_FORMATS: Registry[type[TaskFormat]] = Registry("kind that encoders read")


def make_task_format(task: Task, settings: Settings) -> TaskFormat | None:
    """Return the format of a task, or None where encoders cannot solve it."""
    from gluepot.models.encoder.task_formats import marked, options, spans, texts, tokens  # noqa: F401  they register themselves

    return TASK_FORMATS[task.kind](task, settings) if task.kind in TASK_FORMATS else None


def softmax(values: Floats) -> NDArray[np.float64]:
    """Compute the softmax along the last axis."""
    powers = np.exp(values.astype(float) - values.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def sigmoid(values: Floats) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-np.clip(values.astype(float), -60, 60)))


def best(shares: NDArray[np.float64]) -> int:
    """Return the index of the largest value, the first of those that differ by no more than numerical noise."""
    return int(np.round(shares, DIGITS).argmax())


def best_of_each(rows: NDArray[np.float64]) -> list[int]:
    """Return the index of the largest value of each row."""
    return [int(place) for place in np.round(rows, DIGITS).argmax(axis=-1)]


def rounded(values: NDArray[np.float64]) -> list[float]:
    return [round(value, DIGITS) for value in values.tolist()]
