"""Pairs the rows of a submission with the items they answer: by id where there is one, otherwise by order."""

from dataclasses import dataclass, field
from typing import Any

from gluepot.data.examples import ABSENT, Shape, getter
from gluepot.data.submissions.formats import JUDGED, Format, Rows
from gluepot.data.submissions.problems import Problems
from gluepot.errors import InvalidOutput, nearest
from gluepot.records import Example, Task
from gluepot.tasks import KINDS
from gluepot.tasks.answers import shown

MISSING = object()


@dataclass
class Paired:
    """The answers to a split's items, in the items' order."""

    task: Task
    split: str
    file: str
    examples: list[Example]
    outputs: list[Any]
    invalid: int = 0
    """Answers that are none and were taken as wrong."""
    skipped: int = 0
    """Answers that were left out where the task allows it (None in `outputs`)."""
    sound: bool = True
    notices: list[str] = field(default_factory=list)


class Pairing:
    """Takes one row after the other and keeps only what scoring needs."""

    def __init__(self, shape: Shape, examples: list[Example], form: Format, file: str, problems: Problems, invalid: str) -> None:
        self.shape, self.task, self.examples, self.file = shape, shape.task, examples, file
        self.problems, self.lenient = problems, invalid == "wrong"
        self.answer = KINDS[self.task.kind].answer
        self.by_id = {example.id: number for number, example in enumerate(examples)}
        self.by_text = {example.inputs.get("text"): n for n, example in enumerate(examples)} if form.name == "scandeval-da" else {}
        self.own = [getter(self.task.fields["target"]), getter("label")] if form.own_answers else []
        self.names = [get for get in (shape.id, getter("id"), getter("idx") if form.own_answers and shape.id else None) if get]
        self.outputs: list[Any] = [MISSING] * len(examples)
        self.rows, self.invalid, self.skipped, self.differing = 0, 0, 0, 0
        self.inputs = list(shape.inputs.items())
        self.seen: dict[str, int] = {}
        self.by_order = False

    def take_all(self, rows: Rows) -> None:
        for line, record in rows:
            self.take(line, record)

    def take(self, line: int, record: dict[str, Any]) -> None:
        """One row: which item, which answer."""
        position = self.rows
        self.rows += 1
        number = self._item(line, record, position)
        if number is None:
            return
        example = self.examples[number]
        if self.outputs[number] is not MISSING:
            self._problem("duplicate-id", f"item {shown(example.id)} is answered twice.", line, example.id, "Keep one of the answers.")
            return
        self.outputs[number] = self._answer(line, record, example)

    def _item(self, line: int, record: dict[str, Any], position: int) -> int | None:
        name = self._name(record)
        if name is not None:
            return self._by_name(line, name, record)
        if "text" in record and self.by_text:
            number = self.by_text.get(record["text"])
            if number is None:
                self._problem("unknown-id", f"{shown(record['text'])} is no item of this split.", line, None, "")
            return number
        self.by_order = True
        if position >= len(self.examples):
            return None
        return self._by_position(line, record, position)

    def _name(self, record: dict[str, Any]) -> str | None:
        """The id that the record carries: the task's own, or the plain `id` of our format."""
        for get in self.names:
            value = get(record)
            if value is not ABSENT:
                return value if isinstance(value, str) else str(value)
        return None

    def _by_name(self, line: int, name: str, record: dict[str, Any]) -> int | None:
        again = self.seen[name] = self.seen.get(name, 0) + 1 if len(self.seen) <= len(self.examples) else 1
        number = self.by_id.get(name if again == 1 else f"{name}#{again}", self.by_id.get(name))
        if number is None:
            guess = nearest(name, self.by_id) if self.problems.count(self.file) < 20 and len(name) < 100 else None
            hint = f"The nearest is {guess!r}." if guess else f"Is this the {self.task.name} split that was asked for?"
            self._problem("unknown-id", f"no item {shown(name)} in this split.", line, name[:100], hint)
        elif again > 1 and self._differs(record, self.examples[number]):
            self._mismatch(line, self.examples[number])
            return None
        elif self._differs(record, self.examples[number]):
            self.differing += 1
        return number

    def _by_position(self, line: int, record: dict[str, Any], position: int) -> int | None:
        if self._differs(record, self.examples[position]):
            self._mismatch(line, self.examples[position])
            return None
        return position

    def _differs(self, record: dict[str, Any], example: Example) -> bool:
        """Whether a field that the record brings along is not the item's."""
        for name, get in self.inputs:
            value = get(record)
            if value is not ABSENT and name in example.inputs and value != example.inputs[name]:
                return True
        return False

    def _mismatch(self, line: int, example: Example) -> None:
        self._problem(
            "field-mismatch", f"the row is not item {shown(example.id)}: its text differs from the data's.", line, example.id,
            "Rows without an id must stand in the data's order; is the data's version the same?",
        )

    def _answer(self, line: int, record: dict[str, Any], example: Example) -> Any:
        raw = record.get("prediction", ABSENT)
        for get in self.own:
            raw = get(record) if raw is ABSENT else raw
        if raw is ABSENT:
            self._problem("missing-prediction", "the row has no prediction.", line, example.id, 'Add "prediction".')
            return None
        if raw is None and self.task.may_skip:
            self.skipped += 1
            return None
        try:
            judged = record.get(JUDGED)
            if judged not in (None, len(example.inputs.get("options", ()))):
                raise InvalidOutput("count-mismatch", f"{judged} answers for {len(example.inputs['options'])} options.", "Judge every option.")
            return self.answer.read(self.task, example, raw)
        except InvalidOutput as error:
            if self.lenient and error.code != "count-mismatch" and example.target is not None:
                self.invalid += 1
                return self.answer.wrong(self.task, example)
            self._problem(error.code, error.message, line, example.id, error.hint)
            return None

    def _problem(self, code: str, message: str, line: int | None, id: str | None, hint: str) -> None:  # noqa: A002
        self.problems.add(code, message, file=self.file, line=line, id=id, hint=hint)

    def finish(self, split: str) -> Paired:
        """The pairs, after saying what is missing."""
        missing = [e.id for e, output in zip(self.examples, self.outputs, strict=True) if output is MISSING]
        if self.by_order and self.rows != len(self.examples):
            self._problem(
                "count-mismatch", f"{self.rows:,} rows for {len(self.examples):,} items.", None, None, "Answer every item once, in the data's order.",
            )
        elif missing and self.rows:
            self._problem(
                "missing-id", f"{len(missing):,} of {len(self.examples):,} answers are missing, first: {shown(missing[0])}.",
                None, missing[0], "Answer every item.",
            )
        sound = not missing and not self.problems.count(self.file)
        paired = Paired(self.task, split, self.file, self.examples, self.outputs, self.invalid, self.skipped, sound)
        if self.differing:
            paired.notices.append(f"{self.file}: {self.differing:,} rows carry another text than the data's item of the same id")
        return paired
