"""Extraction of answers from rows, in the task's form; an invalid one is a problem, or counted as wrong."""

from dataclasses import dataclass
from sys import getsizeof
from typing import Any

from gluepot.data.examples import ABSENT, getter
from gluepot.errors import InvalidOutput
from gluepot.plurals import pluralize
from gluepot.records import Example, Task
from gluepot.tasks import KINDS
from gluepot.tasks.formats import JUDGED, SubmissionFormat

TEXTS = 48 * 1024**2
"""Memory for the texts of all answers together."""
_NEVER_WRONG = {"count-mismatch", "duplicate-id", "missing-prediction", "too-large"}
"""Problems that `--invalid wrong` still refuses: missing or surplus answers, rather than answers outside the labels."""


@dataclass
class Budget:
    """Remaining memory for texts, over all files of a submission."""

    left: int = TEXTS

    def spend(self, output: Any) -> None:
        self.left -= getsizeof(output)
        if self.left < 0:
            raise InvalidOutput("too-large", f"the answers are more than {TEXTS // 1024**2} MB of text.", "Shorten them.")


class Answering:
    """Reader of the answers of one file."""

    def __init__(self, task: Task, form: SubmissionFormat, invalid: str, budget: Budget) -> None:
        self.task, self.answer, self.budget = task, KINDS[task.kind].answer, budget
        self.lenient = invalid == "wrong"
        self.own = [getter(task.fields["target"]), getter("label")] if form.own_answers else []
        classes = self.answer.classes(task)
        self.longest = max(map(len, classes)) + 60 if classes else None
        self.invalid, self.clipped, self.skipped = 0, 0, 0

    def read(self, record: dict[str, Any], example: Example) -> Any:
        """Return the answer of a row, or None if it may be left out and is; raise InvalidOutput for a problem."""
        try:
            raw = self._raw(record, example)
            if raw is None and self.task.may_skip:
                self.skipped += 1
                return None
            output = self.answer.read(self.task, example, self._shortened(raw))
        except InvalidOutput as error:
            if self.lenient and error.nearest is not None:
                self.clipped += 1
                return error.nearest
            if not self._is_wrong(error, example):
                raise
            return self._wrong(example)
        if self.answer.free:
            self.budget.spend(output)
        return output

    def _raw(self, record: dict[str, Any], example: Example) -> Any:
        raw = record.get("prediction", ABSENT)
        for get in self.own:
            raw = get(record) if raw is ABSENT else raw
        if isinstance(raw, InvalidOutput):  # found while a nested record was expanded
            raise InvalidOutput(raw.code, raw.message, raw.hint)  # a new one: raising what a frame holds makes a cycle
        if raw is ABSENT:
            raise InvalidOutput("missing-prediction", "the row has no prediction.", f"Add {self._keys()}.")
        judged = record.get(JUDGED)
        if judged is not None and judged != (options := len(example.inputs.get("options", ()))):
            raise InvalidOutput(
                "count-mismatch", f"{pluralize(judged, 'answer')} for {pluralize(options, 'option')}.", "Judge every option."
            )
        return raw

    def _shortened(self, raw: Any) -> Any:
        """Cut an answer that is too long to be a label: finding the label that a megabyte resembles takes 0.2 s."""
        return raw[: self.longest] if isinstance(raw, str) else raw

    def _keys(self) -> str:
        return f'"{self.task.fields["target"]}"' if self.own else '"prediction"'

    def _is_wrong(self, error: InvalidOutput, example: Example) -> bool:
        """Return whether an invalid answer may be counted as wrong."""
        return self.lenient and error.code not in _NEVER_WRONG and example.target is not None

    def _wrong(self, example: Example) -> Any:
        self.invalid += 1
        return self.answer.wrong(self.task, example)
