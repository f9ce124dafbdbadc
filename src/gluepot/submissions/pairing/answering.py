"""Takes the answer out of a row and reads it into the task's form; what is none is a problem, or counted as wrong."""

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
"""What the texts of all answers may take in memory together."""
_NEVER_WRONG = {"count-mismatch", "duplicate-id", "missing-prediction", "too-large"}
"""What `--invalid wrong` still refuses: no answer outside the labels, but an answer too few or too many."""


@dataclass
class Budget:
    """What is left of the memory for texts, over all files of a submission."""

    left: int = TEXTS

    def spend(self, output: Any) -> None:
        self.left -= getsizeof(output)
        if self.left < 0:
            raise InvalidOutput("too-large", f"the answers are more than {TEXTS // 1024**2} MB of text.", "Shorten them.")


class Answering:
    """Reads the answers of one file."""

    def __init__(self, task: Task, form: SubmissionFormat, invalid: str, budget: Budget) -> None:
        self.task, self.answer, self.budget = task, KINDS[task.kind].answer, budget
        self.lenient = invalid == "wrong"
        self.own = [getter(task.fields["target"]), getter("label")] if form.own_answers else []
        classes = self.answer.classes(task)
        self.longest = max(map(len, classes)) + 60 if classes else None
        self.invalid, self.clipped, self.skipped = 0, 0, 0

    def read(self, record: dict[str, Any], example: Example) -> Any:
        """The answer of a row, None if it was left out and may be; raises InvalidOutput for a problem."""
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
        if isinstance(raw, InvalidOutput):  # found while a nested record was taken apart
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
        """An answer too long to be a label, cut: looking for the label that a megabyte resembles takes 0.2 s."""
        return raw[: self.longest] if isinstance(raw, str) else raw

    def _keys(self) -> str:
        return f'"{self.task.fields["target"]}"' if self.own else '"prediction"'

    def _is_wrong(self, error: InvalidOutput, example: Example) -> bool:
        """Whether an answer that is none may be counted as wrong."""
        return self.lenient and error.code not in _NEVER_WRONG and example.target is not None

    def _wrong(self, example: Example) -> Any:
        self.invalid += 1
        return self.answer.wrong(self.task, example)
