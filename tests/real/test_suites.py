"""Declared tasks on available official files: loading, and the best score for gold answers in the official format."""

import json
import zipfile
from pathlib import Path

import pytest

from gluepot.data.examples import load_examples, read_records
from gluepot.data.folders import available_splits
from gluepot.data.judgments import task_judgments
from gluepot.metrics import METRICS
from gluepot.records import Result, Task
from gluepot.runs.reproduction import reproduce
from gluepot.runs.scores.scoring import score_submission
from gluepot.statistics.agreement import pairwise_agreement
from gluepot.submissions.reading import read_submission
from gluepot.tasks.declarations import find, load_suite, load_suites

ALL_TASKS = [task for suite in load_suites() for task in suite.tasks.values()]


def write_gold(task: Task, split: str, path: Path) -> int:
    examples = load_examples(task, split)
    rows = []
    for example in examples:
        answer = example.target
        if isinstance(answer, frozenset):
            answer = sorted(answer)
        elif task.kind in ("cloze", "span-answer") and not isinstance(answer, str):
            answer = answer[0]
        rows.append(json.dumps({"id": example.id, "prediction": answer}, ensure_ascii=False))
    path.write_text("\n".join(rows), encoding="utf-8")
    return len(examples)


@pytest.mark.parametrize("task", ALL_TASKS, ids=lambda t: t.path)
def test_gold_answers_score_best(task: Task, real_data: Path, tmp_path: Path) -> None:
    splits = [s for s in available_splits(task) if s != "train" and all(e.target is not None for e in load_examples(task, s)[:1])]
    if not splits:
        pytest.skip(f"{task.path}: no labelled files at hand")
    suite = load_suite(task.suite)
    path = tmp_path / f"{task.name}.jsonl"
    n = write_gold(task, splits[-1], path)
    result = score_submission(suite, read_submission(suite, path, split=splits[-1]), resamples=20)
    assert result.problems == []
    whole = [score for score in result.scores if not score.slice and score.metric not in ("gender-parity", "bertscore")]
    assert whole
    for score in whole:
        assert score.value == pytest.approx(METRICS[score.metric].best), score.metric
        assert score.n == n


def score_shape(suite_name: str, folder: Path, split: str | None = None) -> Result:
    suite = load_suite(suite_name)
    return score_submission(suite, read_submission(suite, folder, split=split), resamples=20)


def test_basqueglue_files_score_in_their_own_shape_by_line_order(real_data: Path, tmp_path: Path) -> None:
    for task in ("nerc_id", "nerc_od", "slot", "vaxx", "coref", "wic", "qnli", "bec"):
        (tmp_path / task).mkdir()
        (tmp_path / task / "test.jsonl").write_bytes((real_data / "basqueglue" / task / "test.jsonl").read_bytes())
    result = score_shape("basqueglue", tmp_path)
    assert result.problems == []
    assert {s.task for s in result.scores if s.primary and s.value == pytest.approx(1)} >= {"nerc_id", "slot", "vaxx", "coref"}


def test_russian_val_sets_score_as_a_zip_in_the_official_shape(real_data: Path, tmp_path: Path) -> None:
    tasks = ("TERRa", "RCB", "PARus", "MuSeRC", "RUSSE", "RWSD", "DaNetQA")
    with zipfile.ZipFile(tmp_path / "gold.zip", "w") as archive:
        for name in tasks:
            task = find(f"russian-superglue/{name}")[1]
            raw = (real_data / "russian-superglue" / name / "val.jsonl").read_text(encoding="utf-8")
            rows = [json.loads(line) for line in raw.split("\n") if line.strip()]
            kept = [
                {k: v for k, v in row.items() if k in ("idx", "label", "passage")}
                if name != "DaNetQA"
                else {"idx": row["idx"], "label": str(row["label"])}
                for row in rows
            ]
            archive.writestr(f"submission/{name}.jsonl", "\r\n".join(json.dumps(row, ensure_ascii=False) for row in reversed(kept)))
            assert task is not None
        archive.writestr("__MACOSX/submission/._TERRa.jsonl", b"\x00\x05\x16\x07")
    result = score_shape("russian-superglue", tmp_path / "gold.zip", "val")
    assert result.problems == []
    assert {s.task for s in result.scores if s.primary and s.value == pytest.approx(1)} == set(tasks)


def test_the_sample_submission_is_valid_for_available_items(submissions: Path) -> None:
    result = score_shape("russian-superglue", submissions / "russian-superglue" / "sample_submission.zip")
    assert {problem.file for problem in result.problems} <= {"submission/RuCoS.jsonl"}, "RuCoS is five rows here"
    lidirus = next(s for s in result.scores if s.task == "LiDiRus" and s.primary)
    assert lidirus.n == 1104
    terra = next(s for s in result.scores if s.task == "TERRa")
    assert (terra.value, terra.reason) == (None, "the answers to TERRa test are not published")


@pytest.mark.parametrize(("model", "accuracy", "mcc"), [("gpt-4o", 0.930, 0.90665)])
def test_idiom_tables_give_the_published_figures(submissions: Path, model: str, accuracy: float, mcc: float) -> None:
    result = score_shape("scandeval-da", submissions / "danish-talemaader" / f"predicted_and_gold_labels_{model}.csv")
    values = {s.metric: s.value for s in result.scores}
    assert values["accuracy"] == pytest.approx(accuracy, abs=5e-4)
    assert values["mcc"] == pytest.approx(mcc, abs=5e-6)


def test_supersim_agreement_matches_the_published_figures(real_data: Path) -> None:
    suite = load_suite("supersim")
    figures = {
        (name, metric): round(pairwise_agreement(task_judgments(task), metric), 4)
        for name, task in suite.tasks.items()
        for metric in ("spearman", "pearson")
    }
    assert figures == {
        ("similarity", "spearman"): 0.6744,
        ("relatedness", "spearman"): 0.7336,
        ("similarity", "pearson"): 0.7152,
        ("relatedness", "pearson"): 0.7223,
    }


@pytest.mark.parametrize(("suite", "cells"), [("russian-superglue", 14), ("basqueglue", 2), ("supersim", 4)])
def test_published_averages_and_agreements_are_recomputed(real_data: Path, suite: str, cells: int) -> None:
    computed = [cell for cell in reproduce(load_suite(suite), None) if cell.mark != "?"]
    assert len(computed) == cells
    assert all(cell.mark in "=~" for cell in computed)


def test_idiom_splits_match_scandeval(real_data: Path) -> None:
    golden = real_data.parent / "reference" / "golden" / "fewshot_talemaader.json"
    if not golden.is_file():
        pytest.skip("needs the golden few-shot draws in a folder `reference` beside $GLUEPOT_DATA")
    task = find("scandeval-da/danske-talemaader")[1]
    assert task is not None
    train = load_examples(task, "train")
    assert len(train) == 128
    for draw in json.loads(golden.read_text())["draws"]:
        assert ["abcd"[train[row].target] for row in draw["train_row_ids"]] == draw["labels"]


def test_reads_the_quirks_of_the_official_files(real_data: Path) -> None:
    sizes = {"TERRa": 307, "RUSSE": 8505, "RCB": 220, "DaNetQA": 821, "PARus": 100}
    for name, size in sizes.items():
        task = find(f"russian-superglue/{name}")[1]
        assert task is not None
        assert len(load_examples(task, "val")) == size
    coref = find("basqueglue/coref")[1]
    assert coref is not None
    for example in load_examples(coref, "test"):
        inputs = example.inputs
        assert inputs["text"][inputs["second-start"] : inputs["second-end"]] == inputs["second"]
    nerc = find("basqueglue/nerc_id")[1]
    assert nerc is not None
    assert len({e.id for e in load_examples(nerc, "test")}) == 1846
    assert sum(1 for _ in read_records(nerc, "test")[2]) == 1846
