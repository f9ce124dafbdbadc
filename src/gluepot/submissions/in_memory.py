"""Predictions in memory: a mapping, a list, records or a data frame, read by the same strict code as files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gluepot.data.examples import Shape, load_examples
from gluepot.data.folders import find_files, split_name
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize
from gluepot.records import Example, Prediction, Suite, Task
from gluepot.submissions.pairing import PairedAnswers, Pairing
from gluepot.submissions.pairing.answering import Answering, Budget
from gluepot.submissions.pairing.items import ItemPairing
from gluepot.submissions.problems import Problems
from gluepot.submissions.reading import Submission
from gluepot.tasks.declarations import find_task
from gluepot.tasks.formats import FORMATS

Row = dict[str, Any]
ANSWER = "prediction"
ANSWERS = (ANSWER, "output", "answer", "label")
"""Names of the answer in records and columns, in order of precedence."""


def read_predictions(suite: Suite, task: Task | None, split: str, given: Any, name: str, invalid: str) -> Submission:
    """Read answers to one task, or a mapping from tasks to answers."""
    submission = Submission(name)
    if task is not None:
        _take(submission, task, split, given, invalid)
        return submission
    if not isinstance(given, Mapping) or not given:
        known = ", ".join(list(suite.tasks)[:3])
        raise WrongUse(f"{suite.name} has several tasks: give a mapping from a task's name ({known} …) to its answers, or name a task.")
    for key, answers in given.items():
        _take(submission, find_task(suite, str(key)), split, answers, invalid)
    return submission


def _take(submission: Submission, task: Task, split: str, given: Any, invalid: str) -> None:
    split = split_name(task, split)
    examples = load_examples(task, split)
    paired = _pair(task, split, examples, _rows(given, examples, task), submission.problems, invalid)
    submission.pairs.append(paired)
    submission.notices += paired.notices


def _pair(task: Task, split: str, examples: list[Example], rows: Iterable[Row], problems: Problems, invalid: str) -> PairedAnswers:
    form = FORMATS["jsonl"]
    items = ItemPairing(Shape(task, find_files(task, split)[0]), examples, form, [])
    pairing = Pairing(items, Answering(task, form, invalid, Budget()), f"{task.name}/{split}", problems)
    pairing.take_all(enumerate(rows, start=1))
    return pairing.finish(split)


def _rows(given: Any, examples: Sequence[Example], task: Task) -> Iterator[Row]:
    """Convert any supported input to one record per answer."""
    if isinstance(given, Mapping):
        return ({"id": str(key), ANSWER: _plain(answer)} for key, answer in given.items())
    if hasattr(given, "columns"):
        return _frame_rows(given, task)
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise WrongUse(
            f"{task.path}: a {type(given).__name__} is not valid as predictions: give a mapping, a list, records, a data frame or a path."
        )
    answers = list(given)
    if answers and all(isinstance(one, Prediction) for one in answers):
        return ({"id": one.id, ANSWER: _plain(one.output)} for one in answers)
    if answers and all(isinstance(one, Mapping) and "id" in one for one in answers):
        column = _answer_column(answers[0], task)
        return ({"id": str(one["id"]), ANSWER: _plain(one.get(column))} for one in answers)
    if len(answers) != len(examples):
        given_words = f"{pluralize(len(answers), 'answer')} to {pluralize(len(examples), 'item')}"
        raise WrongUse(f"{task.path}: {given_words}. A list has one answer an item, in the data's order; a mapping goes by id.")
    return ({"id": example.id, ANSWER: _plain(answer)} for example, answer in zip(examples, answers, strict=True))


def _frame_rows(frame: Any, task: Task) -> Iterator[Row]:
    """Return the rows of a pandas or polars frame with a column `id`."""
    columns = [str(column) for column in frame.columns]
    if "id" not in columns:
        raise WrongUse(f"{task.path}: the data frame has no column id; it has {', '.join(columns)}.")
    answers = frame[_answer_column(columns, task)]
    pairs = zip(list(frame["id"]), list(answers), strict=True)
    return ({"id": str(id_), ANSWER: _plain(answer)} for id_, answer in pairs)


def _answer_column(columns: Iterable[str], task: Task) -> str:
    known = list(columns)
    found = next((name for name in ANSWERS if name in known), None)
    if found is None:
        raise WrongUse(f"{task.path}: no {ANSWER} beside the id; there is {', '.join(map(str, known))}.")
    return found


def _plain(answer: Any) -> Any:
    """Convert NumPy's and torch's values to Python's own; NaN, which marks a missing answer in a frame, becomes None."""
    plain = answer.tolist() if hasattr(answer, "tolist") else answer
    if isinstance(plain, float) and plain != plain:
        return None
    return sorted(plain) if isinstance(plain, set | frozenset) else plain
