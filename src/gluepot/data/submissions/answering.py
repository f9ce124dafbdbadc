"""Takes the answer out of a row and reads it into the task's form; what is none is a problem, or counted as wrong."""

from dataclasses import dataclass
from sys import getsizeof
from typing import Any

from gluepot.data.examples import ABSENT, getter
from gluepot.data.submissions.formats import JUDGED, Format
from gluepot.errors import InvalidOutput
from gluepot.records import Example, Task
from gluepot.tasks import KINDS

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

    def __init__(self, task: Task, form: Format, invalid: str, budget: Budget) -> None:
        self.task, self.answer, self.budget = task, KINDS[task.kind].answer, budget
        self.lenient = invalid == "wrong"
        self.own = [getter(task.fields["target"]), getter("label")] if form.own_answers else []
        self.invalid, self.skipped = 0, 0

    def read(self, record: dict[str, Any], example: Example) -> Any:
        """The answer of a row, None if it was left out and may be; raises InvalidOutput for a problem."""
        try:
            raw = self._raw(record, example)
            if raw is None and self.task.may_skip:
                self.skipped += 1
                return None
            output = self.answer.read(self.task, example, raw)
        except OverflowError:
            return self._invalid(InvalidOutput("not-a-number", "a number beyond all scales.", "Write a number of common size."), example)
        except InvalidOutput as error:
            return self._invalid(error, example)
        if self.answer.form == "text":
            self.budget.spend(output)
        return output

    def _raw(self, record: dict[str, Any], example: Example) -> Any:
        raw = record.get("prediction", ABSENT)
        for get in self.own:
            raw = get(record) if raw is ABSENT else raw
        if isinstance(raw, InvalidOutput):  # found while a nested record was taken apart
            raise raw
        if raw is ABSENT:
            raise InvalidOutput("missing-prediction", "the row has no prediction.", f"Add {self._keys()}.")
        judged, options = record.get(JUDGED), example.inputs.get("options", ())
        if judged is not None and judged != len(options):
            raise InvalidOutput("count-mismatch", f"{judged} answers for {len(options)} options.", "Judge every option.")
        return raw

    def _keys(self) -> str:
        return f'"{self.task.fields["target"]}"' if self.own else '"prediction"'

    def _invalid(self, error: InvalidOutput, example: Example) -> Any:
        if not self.lenient or error.code in _NEVER_WRONG or example.target is None:
            raise error
        self.invalid += 1
        return self.answer.wrong(self.task, example)
