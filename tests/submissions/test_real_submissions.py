"""Published submissions, unchanged and with single defects."""

import csv
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gluepot.records import Problem, Result
from gluepot.runs.scores.scoring import score_submission
from gluepot.submissions.reading import read_submission
from gluepot.tasks.declarations import load_suite

SUPERLIM, RUSSIAN, DANISH, BASQUE = (load_suite(name) for name in ("superlim", "russian-superglue", "scandeval-da", "basqueglue"))


@pytest.fixture
def svm(submissions: Path, tmp_path: Path) -> Path:
    """Copy of a published Superlim submission, to be modified."""
    return Path(shutil.copytree(submissions / "superlim" / "SVM", tmp_path / "SVM"))


def score(suite: Any, path: Path, **options: Any) -> Result:
    return score_submission(suite, read_submission(suite, path, **options), resamples=2)


def change(path: Path, number: int, **fields: Any) -> None:
    lines = path.read_text().splitlines()
    lines[number - 1] = json.dumps(json.loads(lines[number - 1]) | fields, ensure_ascii=False)
    path.write_text("\n".join(lines))


def seen(problems: list[Problem]) -> list[tuple[str, str | None, int | None, str | None]]:
    return [(p.code, p.file, p.line, p.id) for p in problems]


def test_reports_every_defective_file_and_scores_the_others(svm: Path) -> None:
    change(svm / "swenli" / "test.jsonl", 3, prediction="Entailment")
    change(svm / "swewic" / "test.jsonl", 7, idx=99999)
    change(svm / "sweparaphrase" / "test.jsonl", 5, sentence_1="Något annat.")
    change(svm / "absabank-imm" / "dev.jsonl", 1, prediction="3.5")
    (svm / "swefaq" / "dev.jsonl").write_bytes(b"\xff\xfe")
    result = score(SUPERLIM, svm)
    first = json.loads((svm / "swenli" / "test.jsonl").read_text().splitlines()[2])["id"]
    files = {p.file: p for p in result.problems}
    assert set(files) == {
        f"{name}.jsonl" for name in ("swenli/test", "swewic/test", "sweparaphrase/test", "absabank-imm/dev", "swefaq/dev")
    }
    assert str(files["swenli/test.jsonl"]).endswith("Did you mean 'entailment'? [unknown-label]")
    assert (files["swenli/test.jsonl"].line, files["swenli/test.jsonl"].id) == (3, str(first))
    assert {(s.task, s.split) for s in result.scores if s.value is None and s.primary} == {
        ("swenli", "test"),
        ("swewic", "test"),
        ("sweparaphrase", "test"),
        ("absabank-imm", "dev"),
        ("swefaq", "dev"),
    }
    assert sum(s.value is not None for s in result.scores) > 40


def test_distinguishes_an_omitted_row_from_a_changed_one(svm: Path) -> None:
    path = svm / "sweparaphrase" / "test.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:9] + lines[10:]))
    problems = score(SUPERLIM, path, task=SUPERLIM.tasks["sweparaphrase"]).problems
    assert problems[0].hint == "It is item '10': was a row left out, added or moved before it?"
    assert any(p.message == "1,377 rows for 1,378 items." for p in problems)


def test_a_dev_file_named_as_in_the_data_is_dev(svm: Path, tmp_path: Path) -> None:
    path = tmp_path / "swenli" / "swenli_dev.jsonl"
    path.parent.mkdir()
    shutil.copy(svm / "swenli" / "dev.jsonl", path)
    result = score(SUPERLIM, tmp_path / "swenli")
    assert (result.problems, result.scores[0].split) == ([], "dev")


def test_scores_one_requested_split_of_several(submissions: Path) -> None:
    result = score(SUPERLIM, submissions / "superlim" / "KB-bert-base-swedish-cased", split="dev")
    assert result.problems == []
    assert {s.split for s in result.scores} == {"dev"}


def test_a_submission_to_another_suite_names_that_suite(submissions: Path) -> None:
    result = score(SUPERLIM, submissions / "russian-superglue" / "sample_submission.zip")
    assert {p.code for p in result.problems} == {"unknown-task"}
    assert all("russian-superglue" in p.hint for p in result.problems)


def test_the_official_russian_sample_pairs_with_every_test_set(submissions: Path, real_data: Path) -> None:
    submission = read_submission(RUSSIAN, submissions / "russian-superglue" / "sample_submission.zip")
    assert {p.file for p in submission.problems.listed()} <= {"submission/RuCoS.jsonl"}
    assert sum(pair.sound for pair in submission.pairs) >= 8
    rucos = next(pair for pair in submission.pairs if pair.task.name == "RuCoS")
    if len(rucos.examples) == 5:
        assert "russian-superglue/RuCoS test: the data here has 5 of 7,257 items" in submission.notices


def test_accepts_the_official_russian_sample_unpacked_and_shuffled(submissions: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(submissions / "russian-superglue" / "sample_submission.zip") as archive:
        archive.extract("submission/MuSeRC.jsonl", tmp_path)
        archive.extract("submission/LiDiRus.jsonl", tmp_path)
    for name in ("MuSeRC", "LiDiRus"):
        path = tmp_path / "submission" / f"{name}.jsonl"
        path.write_text("\r\n".join(reversed(path.read_text().splitlines())))
    result = score(RUSSIAN, tmp_path)
    assert result.problems == []
    assert {s.metric: round(s.value, 4) for s in result.scores if s.task == "LiDiRus" and not s.slice}["mcc"] == 0.0417


def test_the_idioms_folder_is_three_submissions(submissions: Path) -> None:
    result = score(DANISH, submissions / "danish-talemaader")
    assert {p.code for p in result.problems} == {"duplicate-task"}
    assert (len(result.problems), result.scores) == (3, [])


@pytest.mark.parametrize(("model", "accuracy"), [("gpt-4o", 0.930), ("gemini", 0.869), ("llama", 0.788)])
def test_the_idioms_are_scored_in_any_order(submissions: Path, tmp_path: Path, model: str, accuracy: float) -> None:
    path = submissions / "danish-talemaader" / f"predicted_and_gold_labels_{model}.csv"
    with path.open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = csv.reader(stream)
    with (tmp_path / "x.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([header, *rows[::-1]])
    for file in (path, tmp_path / "x.csv"):
        result = score(DANISH, file)
        assert result.problems == []
        assert {s.metric: s.value for s in result.scores}["accuracy"] == pytest.approx(accuracy, abs=5e-4)


@pytest.mark.parametrize("task", ["nerc_id", "bec", "coref", "qnli"])
def test_basque_gold_as_a_submission_scores_best(real_data: Path, tmp_path: Path, task: str) -> None:
    shutil.copy(real_data / "basqueglue" / task / "test.jsonl", tmp_path / f"{task}.jsonl")
    result = score(BASQUE, tmp_path)
    assert result.problems == []
    assert result.scores[0].value == 1.0
    lines = (tmp_path / f"{task}.jsonl").read_text().splitlines()
    (tmp_path / f"{task}.jsonl").write_text("\n".join([lines[1], lines[0], *lines[2:]]))
    assert seen(score(BASQUE, tmp_path).problems)[:2] == [
        ("field-mismatch", f"{task}.jsonl", 1, "0"),
        ("field-mismatch", f"{task}.jsonl", 2, "1"),
    ]
