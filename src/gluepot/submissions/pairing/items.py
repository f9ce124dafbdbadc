"""Lookup of the item that a row belongs to: by its id if it has one, by its position otherwise."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import msgspec

from gluepot.answers.form import shown
from gluepot.data.examples import ABSENT, Shape, getter
from gluepot.errors import InvalidOutput, nearest
from gluepot.records import Example
from gluepot.tasks.formats import SubmissionFormat


class MisplacedRow(InvalidOutput):
    """A row that belongs to no item, with the id to be shown."""

    def __init__(self, code: str, message: str, hint: str, id: str | None = None) -> None:  # noqa: A002
        super().__init__(code, message, hint)
        self.id = id


class ItemPairing:
    """The items of a split, with the state of their pairing with rows."""

    def __init__(self, shape: Shape, examples: list[Example], form: SubmissionFormat, numbers: Sequence[Any] = ()) -> None:
        self.shape, self.examples, self.numbers = shape, examples, numbers
        self.names = [get for get in (shape.id, getter("id"), getter("idx") if form.own_answers and shape.id else None) if get]
        self.by_id = {example.id: number for number, example in enumerate(examples)}
        self.again = _same_ids(self.by_id)
        by_text = form.table is not None and form.table[0] == shape.task.name
        self.by_text = {example.inputs.get("text"): n for n, example in enumerate(examples)} if by_text else {}
        self.by_order = False
        self.differing, self.bare, self.unknown = 0, 0, 0
        self.shift, self.shifted = 0, 0
        """Offset of the rows from their items since the last mismatch, and the number of rows that have it."""

    def find(self, record: dict[str, Any], position: int) -> int | None:
        """Return the number of the row's item; None for a row beyond the items or with the offset of an earlier mismatch."""
        name = self._name(record)
        if name is not None:
            return self._by_name(name, record)
        if self.by_text and isinstance(text := record.get("text"), str):
            if text not in self.by_text:
                raise MisplacedRow(
                    "unknown-id", f"{shown(text)} is not an item of this split.", "Copy it from the data as it is.", text[:100]
                )
            return self.by_text[text]
        if self.shape.id is not None:
            raise MisplacedRow("missing-id", "the row has no id.", f'Add "{self.shape.task.fields.get("id", "id")}" as the data has it.')
        self.by_order = True
        return self._by_position(record, position) if position < len(self.examples) else None

    def _name(self, record: dict[str, Any]) -> str | None:
        """Return the id of a record: the task's own, or the plain `id` of our format."""
        for get in self.names:
            value = get(record)
            if value is not ABSENT:
                return value if isinstance(value, str) else _number_name(value)
        return None

    def _by_name(self, name: str, record: dict[str, Any]) -> int:
        number = self.by_id.get(name)
        if number is None:
            self.unknown += 1
            raise MisplacedRow("unknown-id", f"no item {shown(name)} in this split.", self._similar(name), name[:100])
        if name in self.again:
            return self._one_of(self.again[name], record)
        if self._agrees(record, number) is False:
            self.differing += 1
        return number

    def _similar(self, name: str) -> str:
        """Suggest the id that may have been meant, for the first problems only: searching all ids takes time."""
        guess = None if name.isdigit() or len(name) > 100 or self.unknown > 20 else nearest(name, self.by_id)
        return f"Did you mean {guess!r}?" if guess else self._some_ids

    @cached_property
    def _some_ids(self) -> str:
        some = ", ".join(shown(example.id) for example in self.examples[:3])
        return f"Its ids are like {some}: is this the right split?"

    def _one_of(self, numbers: list[int], record: dict[str, Any]) -> int:
        """Return the first remaining one of several items with one id whose text is the row's; once none is left, the last again."""
        found = next((number for number in numbers if self._agrees(record, number) is not False), None)
        if found is None:
            raise self._mismatch(record, numbers[0])
        if len(numbers) > 1:
            numbers.remove(found)
        return found

    def _by_position(self, record: dict[str, Any], position: int) -> int | None:
        agrees = self._agrees(record, position)
        if self.numbers and "idx" in record:
            agrees = agrees is not False and record["idx"] == self.numbers[position]
        if agrees is not False:
            self.bare += agrees is None
            return position
        shift = self._shift(record, position)
        if shift and shift == self.shift:
            self.shifted += 1
            return None
        self.shift = shift
        raise self._mismatch(record, position)

    def _agrees(self, record: dict[str, Any], number: int) -> bool | None:
        """Return whether the fields in the record are the item's; None if it has none of them."""
        agrees = None
        inputs = self.examples[number].inputs
        for name, value in self.shape.read_inputs(record).items():
            if name in inputs:
                if value != inputs[name]:
                    return False
                agrees = True
        return agrees

    def _shift(self, record: dict[str, Any], number: int) -> int:
        """Return the offset of the row's item from the row's position if they are adjacent, else 0."""
        beside = [step for step in (1, -1) if 0 <= number + step < len(self.examples)]
        return next((step for step in beside if self._agrees(record, number + step)), 0)

    def _mismatch(self, record: dict[str, Any], number: int) -> MisplacedRow:
        hint = "Rows must stand in the data's order; is the data's version the same?"
        if shift := self._shift(record, number):
            hint = f"It is item {shown(self.examples[number + shift].id)}: was a row left out, added or moved before it?"
        name = self.examples[number].id
        return MisplacedRow("field-mismatch", f"the row is not item {shown(name)}: its own fields differ from the data's.", hint, name)


def longest_row(examples: Sequence[Example]) -> int:
    """Return the maximum bytes of a row that repeats its item: those of the longest item, with every letter escaped."""
    encoder = msgspec.json.Encoder(enc_hook=str)
    return 64 * 1024 + 4 * max((len(encoder.encode((example.inputs, example.target))) for example in examples), default=0)


def _same_ids(by_id: dict[str, int]) -> dict[str, list[int]]:
    """Return the positions of items that share an id: they are called `17`, `17#2`, `17#3`…"""
    same: dict[str, list[int]] = {}
    for name, number in by_id.items():
        base, mark, count = name.rpartition("#")
        if mark and count.isdigit() and base in by_id:
            same.setdefault(base, [by_id[base]]).append(number)
    return same


def _number_name(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():  # pandas makes floats of whole numbers beside a missing one
        return str(int(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MisplacedRow("wrong-type", f"{shown(value)} is not an id.", "Write the id as the data has it.")
    return str(value)
