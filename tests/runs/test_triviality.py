"""What cannot be told apart from always giving the most frequent answer."""

from pathlib import Path

from gluepot.data.examples import load_examples
from gluepot.runs.comparison.triviality import Verdict, beside_majority, one_answer
from gluepot.submissions.reading import read_submission
from gluepot.tasks.declarations import SUITES, load_suite

POCKET = load_suite("pocket")


def test_a_system_that_is_mostly_right_is_told_apart() -> None:
    pairs = read_submission(POCKET, SUITES / "pocket" / "sample").pairs
    found = beside_majority(POCKET, pairs)
    assert found["stance-sv"] == Verdict.BETTER
    assert {task for task, finding in found.items() if finding != Verdict.BETTER} <= {"summaries-eu", "coreference-eu"}


def test_a_constant_is_not_told_apart(tmp_path: Path) -> None:
    ids = [f"stance-sv-test-{number:03}" for number in range(1, 41)]
    (tmp_path / "stance-sv.jsonl").write_text("".join(f'{{"id": "{name}", "prediction": "neutral"}}\n' for name in ids))
    pairs = read_submission(POCKET, tmp_path).pairs
    assert beside_majority(POCKET, pairs) == {"stance-sv": Verdict.UNTOLD}
    assert one_answer(pairs) == ["stance-sv"]


def test_answers_that_differ_are_not_one_answer() -> None:
    assert one_answer(read_submission(POCKET, SUITES / "pocket" / "sample").pairs) == []


def test_a_correlation_of_chance_is_not_told_apart_from_a_constant(tmp_path: Path) -> None:
    rows = [f'{{"id": "word-pairs-eu-test-{n:03}", "prediction": {(n * 7919) % 101 / 10}}}\n' for n in range(1, 41)]
    (tmp_path / "word-pairs-eu.jsonl").write_text("".join(rows))
    pairs = read_submission(POCKET, tmp_path).pairs
    assert beside_majority(POCKET, pairs) == {"word-pairs-eu": Verdict.UNTOLD}


def test_answers_that_are_always_wrong_are_worse_than_a_constant(tmp_path: Path) -> None:
    gold = {example.id: example.target for example in load_examples(POCKET.tasks["stance-sv"], "test")}
    wrong = {"positive": "negative", "negative": "neutral", "neutral": "positive"}
    rows = [f'{{"id": "{name}", "prediction": "{wrong[label]}"}}\n' for name, label in gold.items()]
    (tmp_path / "stance-sv.jsonl").write_text("".join(rows))
    assert beside_majority(POCKET, read_submission(POCKET, tmp_path).pairs) == {"stance-sv": Verdict.WORSE}


def test_a_correlation_that_is_turned_round_is_worse_than_a_constant(tmp_path: Path) -> None:
    gold = {example.id: example.target for example in load_examples(POCKET.tasks["word-pairs-eu"], "test")}
    (tmp_path / "word-pairs-eu.jsonl").write_text("".join(f'{{"id": "{name}", "prediction": {10 - of}}}\n' for name, of in gold.items()))
    assert beside_majority(POCKET, read_submission(POCKET, tmp_path).pairs) == {"word-pairs-eu": Verdict.WORSE}
