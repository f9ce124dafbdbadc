"""Submission format of Russian SuperGLUE: a zip, with MuSeRC's answers nested as in the data."""

from collections.abc import Iterator
from typing import Any

from gluepot.answers.form import shown
from gluepot.errors import InvalidOutput
from gluepot.records import Task
from gluepot.tasks.formats import FORMATS, JUDGED, SubmissionFormat

_MARKS = {"1": True, "true": True, "0": False, "false": False}


def expand_muserc(task: Task, record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a prediction for each question of a passage with nested answers; the marked ones are the answer."""
    if task.kind != "multi-choice" or "passage" not in record:
        yield record
        return
    for question in record["passage"]["questions"]:
        yield {"id": f"{record['idx']}/{question['idx']}", **_judgement(question)}


def _judgement(question: dict[str, Any]) -> dict[str, Any]:
    """Return the marked options of one question, or the fault of its answers in their place."""
    try:
        answers = {int(answer["idx"]): answer["label"] for answer in question["answers"]}
        if len(answers) != len(question["answers"]):
            raise InvalidOutput("duplicate-id", "an answer of this question is judged twice.", "Judge every option once.")
        marks = [_mark(label) for _, label in sorted(answers.items())]
    except KeyError as error:
        return {"prediction": InvalidOutput("missing-prediction", f"the question or an answer of it lacks {error}.", "Judge every option.")}
    except (TypeError, ValueError, OverflowError):
        return {"prediction": InvalidOutput("wrong-type", "its answers are not a list of {idx, label}.", "Follow the data's nesting.")}
    except InvalidOutput as error:
        return {"prediction": error}
    return {"prediction": [number for number, mark in enumerate(marks) if mark], JUDGED: len(marks)}


def _mark(label: Any) -> bool:
    mark = _MARKS.get(str(label).lower()) if isinstance(label, str | int) else None
    if mark is None:
        raise InvalidOutput("unknown-label", f"{shown(label)} is no mark of an answer.", "Write 1 for a right answer, 0 for a wrong one.")
    return mark


SUMMARY = 'A zip of files `<Task>.jsonl` with one line `{"idx": …, "label": …}` for each item; for MuSeRC nested as in its data.'
FORMATS.add("russian-superglue", SubmissionFormat("russian-superglue", SUMMARY, own_answers=True, expand=expand_muserc))
