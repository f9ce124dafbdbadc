"""Pairing of a submission's rows with the items they answer, and the report of missing ones."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gluepot.answers.form import shown
from gluepot.errors import InvalidOutput
from gluepot.plurals import pluralize
from gluepot.records import Example, Task
from gluepot.submissions.pairing.answering import Answering
from gluepot.submissions.pairing.items import ItemPairing, MisplacedRow
from gluepot.submissions.parsing.lines import Rows
from gluepot.submissions.problems import Problems

MISSING = object()
SURPLUS = 100_000
"""Rows beyond the items after which reading stops."""


@dataclass
class PairedAnswers:
    """The answers to a split's items, in the items' order."""

    task: Task
    split: str
    file: str
    examples: list[Example]
    outputs: list[Any]
    invalid: int = 0
    """Number of invalid answers that were taken as wrong."""
    clipped: int = 0
    """Number of answers off the scale that were clipped to its nearer end."""
    skipped: int = 0
    """Number of answers left out where the task allows it (None in `outputs`)."""
    sound: bool = True
    unranked: str = ""
    """Reason why the answers may not rank, whatever they are."""
    notices: list[str] = field(default_factory=list)
    chosen: bool = False
    """Whether only some of the items were posed, as with people: the others (None) do not count as left out."""


class Pairing:
    """Pairing of rows, one after the other, that stores only what scoring needs."""

    def __init__(self, items: ItemPairing, answering: Answering, file: str, problems: Problems) -> None:
        self.items, self.answering, self.file, self.problems = items, answering, file, problems
        self.examples = items.examples
        self.outputs: list[Any] = [MISSING] * len(self.examples)
        self.rows = 0

    def take_all(self, rows: Rows) -> None:
        most = len(self.examples) + SURPLUS
        for line, record in rows:
            if record is not None:
                try:
                    self._take(line, record)
                except RecursionError:
                    self._problem("too-deep", "brackets are nested too deeply.", line, None, "A prediction is a flat record.")
            self.rows += 1  # a line that is no record still has its position
            if self.rows > most:
                return

    def _take(self, line: int, record: dict[str, Any]) -> None:
        """Find the item of one row and store its answer."""
        try:
            number = self.items.find(record, self.rows)
        except MisplacedRow as error:
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
            hint = error.hint or f"Labels: {', '.join(self.answering.task.labels[:20])}."
            self._problem(error.code, error.message, line, example.id, hint)

    def _problem(self, code: str, message: str, line: int | None, id: str | None, hint: str) -> None:  # noqa: A002
        self.problems.add(code, message, file=self.file, line=line, id=id, hint=hint)

    def finish(self, split: str) -> PairedAnswers:
        """Report what is missing, and return the pairs."""
        missing = [e.id for e, output in zip(self.examples, self.outputs, strict=True) if output is MISSING]
        self._say_missing(missing)
        sound = not missing and not self.problems.count(self.file)
        taken = self.answering
        notices = list(self._notices(sound))
        counts = (taken.invalid, taken.clipped, taken.skipped)
        return PairedAnswers(taken.task, split, self.file, self.examples, self.outputs, *counts, sound=sound, notices=notices)

    def _say_missing(self, missing: list[str]) -> None:
        count = len(self.examples)
        if self.items.shifted:
            message = f"{pluralize(self.items.shifted, 'more row stands', 'more rows stand')} one place off."
            self._problem("field-mismatch", message, None, None, "Mend the first such row.")
        if self.items.by_order and self.rows != count:
            rows = f"more than {pluralize(self.rows - 1, 'row')}" if self.rows > count + SURPLUS else pluralize(self.rows, "row")
            message = f"{rows} for {pluralize(count, 'item')}."
            self._problem("count-mismatch", message, None, None, "Answer every item once, in the data's order.")
        elif missing and (self.rows or not self.problems.count(self.file)):
            message = f"{len(missing):,} of {pluralize(count, 'answer is', 'answers are')} missing, first: {shown(missing[0])}."
            self._problem("missing-id", message, None, missing[0], "Answer every item.")
        elif count and self.answering.skipped == count:
            self._problem("missing-prediction", "every answer is left out.", None, None, "Answer some items at least.")

    def _notices(self, sound: bool) -> Iterator[str]:
        if self.items.differing:
            rows = pluralize(self.items.differing, "row carries", "rows carry")
            yield f"{self.file}: {rows} another text than the data's item of the same id"
        if self.items.bare and sound:
            rows = pluralize(self.items.bare, "row carries neither id nor text and was", "rows carry neither id nor text and were")
            yield f"{self.file}: {rows} taken in the data's order"
