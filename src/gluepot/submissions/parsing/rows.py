"""Rows of a file as flat records, in any format."""

from typing import IO

from gluepot.records import Task
from gluepot.submissions.parsing.lines import Longest, Rows, read_lines
from gluepot.submissions.parsing.tables import read_table
from gluepot.submissions.problems import Problems
from gluepot.tasks.formats import SubmissionFormat


def read_rows(stream: IO[bytes], file: str, form: SubmissionFormat, task: Task, problems: Problems, longest: Longest) -> Rows:
    """Yield the flat records of one file with their line numbers."""
    rows = read_table(stream, file, problems) if file.lower().endswith(".csv") else read_lines(stream, file, problems, longest)
    if form.expand is None:
        yield from rows
        return
    for line, record in rows:
        try:
            flat = list(form.expand(task, record)) if record is not None else [None]
        except (KeyError, TypeError, RecursionError) as error:
            message = f"the record lacks {error}." if isinstance(error, KeyError) else "the record is not nested like the data's."
            problems.add("wrong-type", message, file=file, line=line, hint=form.summary)
        else:
            yield from ((line, one) for one in flat)
