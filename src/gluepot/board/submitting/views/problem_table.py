"""What is wrong with a submission, a table a file; in other languages than English with what a problem means in general."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import get_language, gettext

from gluepot.records import Problem, count_problems
from gluepot.submissions.codes import CODES

SHOWN = 5
"""Problems of a file that are shown before the rest folds."""
MOST = 200


@dataclass(frozen=True)
class ProblemRow:
    """A problem as the validator tells it, in English, and what it means in the reader's language, where that is another one."""

    problem: Problem
    meaning: str = ""
    help: str = ""


@dataclass(frozen=True)
class FileProblems:
    """What is wrong with one file."""

    file: str
    count: int
    first: list[ProblemRow]
    more: list[ProblemRow]


def by_file(problems: Sequence[Problem]) -> list[FileProblems]:
    """Problems, a table a file, bounded to what somebody reads."""
    files: dict[str, list[Problem]] = {}
    for problem in problems:
        files.setdefault(problem.file or "", []).append(problem)
    return [_table(file, found) for file, found in files.items()]


def _table(file: str, found: Sequence[Problem]) -> FileProblems:
    rows = [_row(problem) for problem in found[:MOST]]
    return FileProblems(file, count_problems(found), rows[:SHOWN], rows[SHOWN:])


def _row(problem: Problem) -> ProblemRow:
    explained = CODES.get(problem.code)
    if explained is None or get_language() in (None, settings.LANGUAGE_CODE):
        return ProblemRow(problem)
    return ProblemRow(problem, gettext(explained.meaning), gettext(explained.help))
