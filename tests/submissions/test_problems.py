"""Collection of problems: the listed ones are limited, and all are counted."""

import ast
from pathlib import Path

from gluepot import answers, strict_json, submissions
from gluepot.board import submitting
from gluepot.published.russian_superglue import submission_format as nested
from gluepot.records import count_problems
from gluepot.submissions.codes import CODES
from gluepot.submissions.problems import ALL_KEPT, HOPELESS, KEPT, Problems


def test_lists_the_first_thousand_of_a_code_and_summarises_the_rest() -> None:
    problems = Problems()
    for line in range(100_000):
        problems.add("broken-json", "not JSON.", file="a.jsonl", line=line + 1)
    listed = problems.listed()
    assert len(listed) == KEPT + 1
    assert (listed[0].line, listed[-1].code) == (1, "more")
    assert str(listed[-1]) == "a.jsonl: … 99,000 more problems of the sort broken-json. [more]"


def test_problems_in_many_files_are_limited_together() -> None:
    problems = Problems()
    for file in range(200):
        for number in range(500):
            problems.add("unknown-id", "no item.", file=f"{file}.jsonl", line=number)
    assert problems.count() == 100_000
    assert len(problems.listed()) <= ALL_KEPT + 200
    assert sum("500 more" in problem.message for problem in problems.listed()) == 200 - ALL_KEPT // 500


def test_files_are_counted_separately_and_given_up_when_hopeless() -> None:
    problems = Problems()
    problems.add("empty-file", "empty.", file="a.jsonl")
    assert (problems.count("a.jsonl"), problems.count("b.jsonl"), problems.count()) == (1, 0, 1)
    for _ in range(HOPELESS):
        problems.add("broken-json", "not JSON.", file="b.jsonl")
    assert problems.has_too_many("b.jsonl")
    assert not problems.has_too_many("a.jsonl")


def test_every_code_in_the_source_is_explained() -> None:
    used = set()
    makers = {"add", "Problem", "InvalidOutput", "MisplacedRow", "InvalidLineError", "_problem"}
    rooms = [path for room in (submissions, answers, submitting) for path in Path(room.__path__[0]).rglob("*.py")]
    for path in [*rooms, Path(nested.__file__), Path(strict_json.__file__)]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                registers = getattr(getattr(node.func, "value", None), "id", "").isupper()
                used |= {node.args[0].value} if name in makers and not registers else set()
    assert {"duplicate-key", "unknown-label", "symlink", "field-mismatch", "data-missing", "missing-name"} <= used
    assert used <= set(CODES)
    assert set(CODES) - used <= {"unknown-task", "unsupported-format"}, "no longer used"


def test_unlisted_problems_are_included_in_totals() -> None:
    problems = Problems()
    for line in range(7_252):
        problems.add("unknown-id", "no item.", file="a.jsonl", line=line + 1)
    assert len(problems.listed()) == KEPT + 1
    assert count_problems(problems.listed()) == problems.count() == 7_252
