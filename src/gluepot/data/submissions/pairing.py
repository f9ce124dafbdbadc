"""Pairs the rows of a submission with the items they answer: by id where there is one, otherwise by order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gluepot.data.examples import ABSENT, Shape, getter
from gluepot.data.submissions.answering import Answering
from gluepot.data.submissions.formats import Format, Rows
from gluepot.data.submissions.problems import Problems
from gluepot.errors import InvalidOutput, nearest
from gluepot.records import Example, Task
from gluepot.tasks.answers import shown

MISSING = object()
SURPLUS = 100_000
"""Rows beyond the items after which nobody reads on."""


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


class Misplaced(InvalidOutput):
    """A row that belongs to no item, with the id to show."""

    def __init__(self, code: str, message: str, hint: str, id: str | None = None) -> None:  # noqa: A002
        super().__init__(code, message, hint)
        self.id = id


class Pairing:
    """Takes one row after the other and keeps only what scoring needs."""

    def __init__(self, shape: Shape, examples: list[Example], form: Format, file: str, problems: Problems, answering: Answering) -> None:
        self.shape, self.task, self.examples, self.file = shape, shape.task, examples, file
        self.problems, self.answering = problems, answering
        self.inputs = list(shape.inputs.items())
        self.names = [get for get in (shape.id, getter("id"), getter("idx") if form.own_answers and shape.id else None) if get]
        self.by_id = {example.id: number for number, example in enumerate(examples)}
        self.again = _same_ids(self.by_id)
        by_text = form.table is not None and form.table[0] == self.task.name
        self.by_text = {example.inputs.get("text"): n for n, example in enumerate(examples)} if by_text else {}
        self.numbers: Sequence[Any] = ()
        """The data's `idx` of each item, where it is no id but must agree all the same."""
        self.outputs: list[Any] = [MISSING] * len(examples)
        self.rows, self.differing, self.bare = 0, 0, 0
        self.by_order = False

    def take_all(self, rows: Rows) -> None:
        most = len(self.examples) + SURPLUS
        for line, record in rows:
            try:
                self.take(line, record)
            except RecursionError:
                self._problem("too-deep", "brackets are nested too deeply.", line, None, "A prediction is a flat record.")
            if self.rows > most:
                return

    def take(self, line: int, record: dict[str, Any]) -> None:
        """One row: which item, which answer."""
        position = self.rows
        self.rows += 1
        try:
            number = self._item(record, position)
        except Misplaced as error:
            self._problem(error.code, error.message, line, error.id, error.hint)
            return
        if number is not None:
            self._keep(line, record, number)

    def _keep(self, line: int, record: dict[str, Any], number: int) -> None:
        example = self.examples[number]
        if self.outputs[number] is not MISSING:
            self._problem("duplicate-id", f"item {shown(example.id)} is answered twice.", line, example.id, "Keep one of the answers.")
            return
        self.outputs[number] = None
        try:
            self.outputs[number] = self.answering.read(record, example)
        except InvalidOutput as error:
            hint = error.hint or f"Labels: {', '.join(self.task.labels[:20])}."
            self._problem(error.code, error.message, line, example.id, hint)

    def _item(self, record: dict[str, Any], position: int) -> int | None:
        name = self._name(record)
        if name is not None:
            return self._by_name(name, record)
        if self.by_text and isinstance(text := record.get("text"), str):
            if text not in self.by_text:
                raise Misplaced("unknown-id", f"{shown(text)} is no item of this split.", "Copy it from the data as it is.", text[:100])
            return self.by_text[text]
        if self.shape.id is not None:
            raise Misplaced("missing-id", "the row has no id.", f'Add "{self.task.fields.get("id", "id")}" as the data has it.')
        self.by_order = True
        return self._by_position(record, position) if position < len(self.examples) else None

    def _name(self, record: dict[str, Any]) -> str | None:
        """The id that the record carries: the task's own, or the plain `id` of our format."""
        for get in self.names:
            value = get(record)
            if value is not ABSENT:
                return value if isinstance(value, str) else _number_name(value)
        return None

    def _by_name(self, name: str, record: dict[str, Any]) -> int:
        number = self.by_id.get(name)
        if number is None:
            raise Misplaced("unknown-id", f"no item {shown(name)} in this split.", self._similar(name), name[:100])
        if name in self.again:
            return self._one_of(self.again[name], record)
        if self._agrees(record, number) is False:
            self.differing += 1
        return number

    def _similar(self, name: str) -> str:
        """The id that may have been meant, as long as a person reads along: looking through all of them takes time."""
        guess = None if name.isdigit() or len(name) > 100 or self.problems.count(self.file) > 20 else nearest(name, self.by_id)
        if guess:
            return f"Did you mean {guess!r}?"
        some = ", ".join(shown(example.id) for example in self.examples[:3])
        return f"Its ids are like {some}: is this the right split?"

    def _one_of(self, numbers: list[int], record: dict[str, Any]) -> int:
        """Of several items with one id, the first unanswered one whose text is the row's."""
        free = [number for number in numbers if self.outputs[number] is MISSING]
        same = next((number for number in free if self._agrees(record, number) is not False), None)
        if free and same is None:
            raise self._mismatch(record, free[0])
        return numbers[0] if same is None else same

    def _by_position(self, record: dict[str, Any], position: int) -> int:
        agrees = self._agrees(record, position)
        if self.numbers and "idx" in record:
            agrees = agrees is not False and record["idx"] == self.numbers[position]
        if agrees is False:
            raise self._mismatch(record, position)
        self.bare += agrees is None
        return position

    def _agrees(self, record: dict[str, Any], number: int) -> bool | None:
        """Whether the fields that the record brings along are the item's; None if it brings none."""
        agrees = None
        inputs = self.examples[number].inputs
        for name, get in self.inputs:
            value = get(record)
            if value is not ABSENT and name in inputs:
                if value != inputs[name]:
                    return False
                agrees = True
        return agrees

    def _mismatch(self, record: dict[str, Any], number: int) -> Misplaced:
        near = [n for n in (number + 1, number - 1) if 0 <= n < len(self.examples) and self._agrees(record, n)]
        hint = "Rows must stand in the data's order; is the data's version the same?"
        if near:
            hint = f"It is item {shown(self.examples[near[0]].id)}: was a row left out, added or moved before it?"
        example = self.examples[number]
        return Misplaced(
            "field-mismatch", f"the row is not item {shown(example.id)}: its own fields differ from the data's.", hint, example.id
        )

    def _problem(self, code: str, message: str, line: int | None, id: str | None, hint: str) -> None:  # noqa: A002
        self.problems.add(code, message, file=self.file, line=line, id=id, hint=hint)

    def finish(self, split: str) -> Paired:
        """The pairs, after saying what is missing."""
        missing = [e.id for e, output in zip(self.examples, self.outputs, strict=True) if output is MISSING]
        if self.by_order and self.rows != len(self.examples):
            rows = f"more than {self.rows - 1:,}" if self.rows > len(self.examples) + SURPLUS else f"{self.rows:,}"
            message = f"{rows} rows for {len(self.examples):,} items."
            self._problem("count-mismatch", message, None, None, "Answer every item once, in the data's order.")
        elif missing and (self.rows or not self.problems.count(self.file)):
            message = f"{len(missing):,} of {len(self.examples):,} answers are missing, first: {shown(missing[0])}."
            self._problem("missing-id", message, None, missing[0], "Answer every item.")
        elif self.examples and self.answering.skipped == len(self.examples):
            self._problem("missing-prediction", "every answer is left out.", None, None, "Answer some items at least.")
        sound = not missing and not self.problems.count(self.file)
        taken = self.answering
        return Paired(self.task, split, self.file, self.examples, self.outputs, taken.invalid, taken.skipped, sound, list(self._notices()))

    def _notices(self) -> Iterator[str]:
        if self.differing:
            yield f"{self.file}: {self.differing:,} rows carry another text than the data's item of the same id"
        if self.bare and not self.problems.count(self.file):
            yield f"{self.file}: {self.bare:,} rows carry neither id nor text and were taken in the data's order"


def _same_ids(by_id: dict[str, int]) -> dict[str, list[int]]:
    """The positions of items that share an id: they are called `17`, `17#2`, `17#3`…"""
    same: dict[str, list[int]] = {}
    for name, number in by_id.items():
        base, mark, count = name.rpartition("#")
        if mark and count.isdigit() and base in by_id:
            same.setdefault(base, [by_id[base]]).append(number)
    return same


def _number_name(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():  # what pandas makes of whole numbers beside a missing one
        return str(int(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Misplaced("wrong-type", f"{shown(value)} is no id.", "Write the id as the data has it.")
    return str(value)
