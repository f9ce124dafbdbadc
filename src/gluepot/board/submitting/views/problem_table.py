"""Problems of a submission in one table per file; in languages other than English with a translated explanation."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import get_language, gettext

from gluepot.records import Problem, count_problems
from gluepot.submissions.codes import CODES

SHOWN = 5
"""Problems of a file shown above the fold."""
MOST = 200


@dataclass(frozen=True)
class ProblemRow:
    """A problem as reported by the validator in English, with an explanation in the reader's language if that is another one."""

    problem: Problem
    meaning: str = ""
    help: str = ""


@dataclass(frozen=True)
class FileProblems:
    """The problems of one file."""

    file: str
    count: int
    first: list[ProblemRow]
    more: list[ProblemRow]


def by_file(problems: Sequence[Problem]) -> list[FileProblems]:
    """Group problems by file, at most MOST of each."""
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
