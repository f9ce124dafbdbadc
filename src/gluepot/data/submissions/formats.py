"""The official submission formats: how a record names its item and its answer. Everything else is shared."""

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from gluepot.data.submissions.lines import read_lines
from gluepot.data.submissions.problems import Problems
from gluepot.records import Task
from gluepot.registry import Registry

Rows = Iterator[tuple[int, dict[str, Any]]]
JUDGED = "number of options judged"
"""The key under which a flattened record says how many options it judged; no stranger's key has spaces like these."""


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
    questions = record["passage"]["questions"] if task.kind == "multi-choice" and "passage" in record else None
    if questions is None:
        yield record
        return
    for question in questions:
        answers = sorted(question["answers"], key=lambda answer: int(answer["idx"]))
        chosen = [i for i, answer in enumerate(answers) if str(answer["label"]).lower() in ("1", "true")]
        yield {"id": f"{record['idx']}/{question['idx']}", "prediction": chosen, JUDGED: len(answers)}


FORMATS.add("jsonl", Format("jsonl", 'A file `<task>.jsonl` a task, a line {"id": …, "prediction": …} an item.'))
FORMATS.add(
    "superlim",
    Format("superlim", "Folders `<task>/<split>.jsonl` of gold records with `prediction` added, and `<name>.json` about the model.", describes=True),
)
FORMATS.add(
    "russian-superglue",
    Format("russian-superglue", 'A zip of `<Task>.jsonl` with {"idx": …, "label": …}; MuSeRC nested.', own_answers=True, expand=expand_muserc),
)
FORMATS.add("basqueglue", Format("basqueglue", "The data's own shape with the answers in `label` or `tags`, by line order.", own_answers=True))
FORMATS.add("scandeval-da", Format("scandeval-da", "As jsonl; for the idioms also CSV with talemaade_udtryk and predicted_label.", table=("danske-talemaader", "all")))


def read_rows(stream: IO[bytes], file: str, form: Format, task: Task, problems: Problems) -> Rows:
    """Flat records of one file with their line numbers."""
    rows = read_csv(stream, file, problems) if file.lower().endswith(".csv") else read_lines(stream, file, problems)
    if form.expand is None:
        yield from rows
        return
    for line, record in rows:
        try:
            yield from ((line, flat) for flat in list(form.expand(task, record)))
        except (KeyError, TypeError, ValueError) as error:
            problems.add("wrong-type", f"the nested record lacks or mistypes {error}.", file=file, line=line, hint="Follow the data's nesting.")


def read_csv(stream: IO[bytes], file: str, problems: Problems) -> Rows:
    """A table with a header; `predicted_label` becomes the answer and `talemaade_udtryk` names the item."""
    try:
        rows = csv.DictReader(io.TextIOWrapper(stream, "utf-8-sig", newline=""), strict=True)
        if not {"talemaade_udtryk", "predicted_label"} <= set(rows.fieldnames or ()):
            problems.add("wrong-type", "no columns talemaade_udtryk and predicted_label.", file=file, line=1, hint="Keep the table's header.")
            return
        for row in rows:
            yield rows.line_num, {"text": row["talemaade_udtryk"], "prediction": _as_number(row["predicted_label"])}
    except UnicodeDecodeError:
        problems.add("not-utf8", "the file is not UTF-8.", file=file, hint="Save the file as UTF-8.")
    except csv.Error as error:
        problems.add("broken-csv", f"not a table: {error}.", file=file)


def _as_number(cell: str | None) -> int | str | None:
    return int(cell) if cell and cell.strip().isascii() and cell.strip().isdigit() else cell
