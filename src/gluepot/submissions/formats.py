"""The official submission formats: how a record names its item and its answer. Everything else is shared."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from gluepot.errors import InvalidOutput
from gluepot.records import Task
from gluepot.registry import Registry
from gluepot.submissions.lines import Longest, Rows, read_lines
from gluepot.submissions.problems import Problems
from gluepot.submissions.tables import read_table
from gluepot.tasks.answers import shown

JUDGED = "number of options judged"
"""The key under which a flattened record says how many options it judged; no stranger's key has spaces like these."""
_MARKS = {"1": True, "true": True, "0": False, "false": False}


@dataclass(frozen=True)
class Format:
    """One way to hand in predictions."""

    name: str
    summary: str
    own_answers: bool = False
    """Whether the answer stands where the data has its gold (`label`, `tags`), the records being the data's own shape."""
    expand: Callable[[Task, dict[str, Any]], Iterator[dict[str, Any]]] | None = None
    """Turns a nested record into one flat record an item."""
    table: tuple[str, str] | None = None
    """The task and split that a CSV table answers, whatever its name."""
    describes: bool = False
    """Whether a JSON file beside the predictions describes the model and states scores."""


FORMATS: Registry[Format] = Registry("submission format")


def expand_muserc(task: Task, record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Answers nested under questions under passages; the marked ones are the answer."""
    if task.kind != "multi-choice" or "passage" not in record:
        yield record
        return
    for question in record["passage"]["questions"]:
        yield {"id": f"{record['idx']}/{question['idx']}", **_judgement(question)}


def _judgement(question: dict[str, Any]) -> dict[str, Any]:
    """The marked options of one question, or what is wrong with its answers in their place."""
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


for _format in (
    Format("jsonl", 'A file `<task>.jsonl` a task, a line {"id": …, "prediction": …} an item.'),
    Format(
        "superlim",
        "Folders `<task>/<split>.jsonl` of gold records with `prediction` added, and `<name>.json` about the model.",
        describes=True,
    ),
    Format(
        "russian-superglue",
        'A zip of `<Task>.jsonl` with {"idx": …, "label": …}; MuSeRC nested.',
        own_answers=True,
        expand=expand_muserc,
    ),
    Format("basqueglue", "The data's own shape with the answers in `label` or `tags`, by line order.", own_answers=True),
    Format(
        "scandeval-da",
        "As jsonl; for the idioms also CSV with talemaade_udtryk and predicted_label.",
        table=("danske-talemaader", "all"),
    ),
):
    FORMATS.add(_format.name, _format)


def read_rows(stream: IO[bytes], file: str, form: Format, task: Task, problems: Problems, longest: Longest) -> Rows:
    """Flat records of one file with their line numbers."""
    rows = read_table(stream, file, problems) if file.lower().endswith(".csv") else read_lines(stream, file, problems, longest)
    if form.expand is None:
        yield from rows
        return
    for line, record in rows:
        try:
            flat = list(form.expand(task, record)) if record is not None else [None]
        except (KeyError, TypeError, RecursionError) as error:
            message = f"the record lacks {error}." if isinstance(error, KeyError) else "the record is not nested like the data's."
            problems.add("wrong-type", message, file=file, line=line, hint="Nest answers in questions in a passage, each with its idx.")
        else:
            yield from ((line, one) for one in flat)
