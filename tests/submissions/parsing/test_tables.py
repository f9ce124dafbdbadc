"""CSV tables of the Danish idioms: pairing by idiom, faults and size limits."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluepot.records import Problem, Result
from gluepot.runs.scores.scoring import score_submission
from gluepot.submissions.parsing.tables import read_table
from gluepot.submissions.problems import Problems
from gluepot.submissions.reading import read_submission
from gluepot.tasks.declarations import load_suite

SUITE = load_suite("scandeval-da")
HEADER = "talemaade_udtryk,predicted_label,true_label\n"


def read(data: bytes | str) -> tuple[list[tuple[int, dict[str, Any]]], list[Problem]]:
    problems = Problems()
    return list(read_table(io.BytesIO(data if isinstance(data, bytes) else data.encode()), "a.csv", problems)), problems.listed()


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_rows_have_the_idiom_and_the_answer(ending: str, mark: str) -> None:
    rows, problems = read((mark + HEADER + 'lang næse,1,1\n"a, ""b""",2,2\n\nc,x,0').replace("\n", ending))
    assert problems == []
    assert rows == [
        (2, {"text": "lang næse", "prediction": 1}),
        (3, {"text": 'a, "b"', "prediction": 2}),
        (5, {"text": "c", "prediction": "x"}),
    ]


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        ("", "empty-file", None),
        ("a,b\n1,2\n", "wrong-type", 1),
        (HEADER.replace(",", ";"), "wrong-type", 1),
        (HEADER + "a,1,1\nb\n", "broken-csv", 3),
        (HEADER + 'a,1,1\n"b,1\n', "broken-csv", 3),
        (HEADER + 'a,1,1\n"b"c,1\n', "broken-csv", 3),
        (HEADER.encode() + b"a,1,1\n\xe6,1\n", "not-utf8", 3),
        (HEADER.encode("utf-16"), "not-utf8", 1),
    ],
)
def test_each_fault_has_its_code_and_line(data: bytes | str, code: str, line: int | None) -> None:
    _, (problem,) = read(data)
    assert (problem.code, problem.line, problem.file) == (code, line, "a.csv")
    assert problem.hint


def test_all_faults_are_reported_at_once() -> None:
    rows, problems = read(HEADER.encode() + b'a,1\n"b"c,1\n\xe6,1\nd\ne,1\n')
    assert [row["text"] for _, row in rows] == ["a", "e"]
    assert [(p.line, p.code) for p in problems] == [(3, "broken-csv"), (4, "not-utf8"), (5, "broken-csv")]


def test_a_row_extended_by_quotation_marks_is_limited() -> None:
    rows, problems = read(HEADER + '"a\n",' * 1_000)
    assert rows == []
    assert {p.code for p in problems} == {"broken-csv"}
    for limit in (2**17, 2**30):  # another reader in the same process may have raised it
        csv.field_size_limit(limit)
        _, problems = read(HEADER + "x" * 200_000 + ",1\n")
        assert [p.code for p in problems] == ["broken-csv"]
    csv.field_size_limit(2**17)


@pytest.mark.parametrize("cell", ["9" * 5000, "-1", "1.0", "١", "", " 3 "])
def test_only_plain_digits_are_read_as_numbers(cell: str) -> None:
    rows, _ = read(HEADER + f"a,{cell}\n")
    assert rows[0][1]["prediction"] == (3 if cell == " 3 " else cell)


@given(st.binary(max_size=100))
def test_any_bytes_are_rows_or_problems(data: bytes) -> None:
    rows, problems = read(HEADER.encode() + b"a,1\n" + data)
    assert rows or problems


@pytest.fixture
def idioms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Write two hundred idioms in the layout of the official files and return them."""
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    source = SUITE.tasks["danske-talemaader"].alternative
    assert source is not None
    options, answers = (tmp_path / "scandeval-da" / name for name in source.files["all"])
    options.parent.mkdir(parents=True, exist_ok=True)
    words = [f"udtryk {n}" for n in range(200)]
    options.write_text("talemaade_udtryk\tA\tB\tC\tD\n" + "".join(f"{w}\ta\tb\tc\td\n" for w in words))
    answers.parent.mkdir(parents=True, exist_ok=True)
    answers.write_text("udtryk_id\ttalemaade_udtryk\tkorrekt_def\n" + "".join(f"{n}\t{w}\t{n % 4}\n" for n, w in enumerate(words)))
    return words


def score(tmp_path: Path, text: str, name: str = "model.csv", **options: Any) -> Result:
    (tmp_path / name).write_text(text)
    return score_submission(SUITE, read_submission(SUITE, tmp_path / name, **options), resamples=2)


def test_a_table_is_scored_with_any_name_and_order(tmp_path: Path, idioms: list[str]) -> None:
    rows = [f"{word},{n % 4}\n" for n, word in enumerate(idioms)]
    result = score(tmp_path, HEADER + "".join(rows[::-1]))
    assert result.problems == []
    assert {s.metric: s.value for s in result.scores}["accuracy"] == 1.0
    assert (result.scores[0].task, result.scores[0].split, result.scores[0].n) == ("danske-talemaader", "all", 200)


def test_reports_unknown_missing_and_duplicate_idioms(tmp_path: Path, idioms: list[str]) -> None:
    rows = [f"{word},{n % 4}\n" for n, word in enumerate(idioms[1:], 1)]
    result = score(tmp_path, HEADER + "".join(rows) + rows[0] + "noget andet,1\nudtryk 7,4\n")
    assert [(p.code, p.id, p.line) for p in result.problems] == [
        ("duplicate-id", "1", 201),
        ("unknown-id", "noget andet", 202),
        ("duplicate-id", "7", 203),
        ("missing-id", "0", None),
    ]
    assert result.scores[0].value is None


def test_an_answer_that_is_not_an_option_is_refused_or_wrong(tmp_path: Path, idioms: list[str]) -> None:
    rows = [f"{word},{'x' if n == 5 else n % 4}\n" for n, word in enumerate(idioms)]
    (problem,) = score(tmp_path, HEADER + "".join(rows)).problems
    assert (problem.code, problem.id, problem.line) == ("wrong-type", "5", 7)
    result = score(tmp_path, HEADER + "".join(rows), invalid="wrong")
    assert {s.metric: s.value for s in result.scores}["accuracy"] == pytest.approx(199 / 200)
    assert result.scores[0].invalid == 1


def test_two_tables_in_a_folder_are_two_submissions(tmp_path: Path, idioms: list[str]) -> None:
    folder = tmp_path / "both"
    folder.mkdir()
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text(HEADER + "".join(f"{word},1\n" for word in idioms))
    result = score_submission(SUITE, read_submission(SUITE, folder), resamples=2)
    assert [(p.code, p.file) for p in result.problems] == [("duplicate-task", "a.csv"), ("duplicate-task", "b.csv")]
    assert result.scores == []


def test_a_table_for_another_split_names_the_split_it_answers(tmp_path: Path, idioms: list[str]) -> None:
    (problem,) = score(tmp_path, HEADER + "udtryk 1,1\n", split="test").problems
    assert (problem.code, problem.hint) == ("empty-submission", "It answers danske-talemaader all.")
