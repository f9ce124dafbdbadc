"""Comparison with the best trivial system, one that does not read the items."""

from pathlib import Path
from typing import Any

from gluepot.cli import main
from gluepot.data.examples import load_examples
from gluepot.records import Suite
from gluepot.runs.comparison.triviality import TRIVIAL, Verdict, beside_trivial, one_answer
from gluepot.submissions.reading import read_submission
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.search_path import BUNDLED

POCKET = load_suite("pocket")


def verdicts(suite: Suite, pairs: list[Any]) -> dict[str, Verdict]:
    return {task: found.verdict for task, found in beside_trivial(suite, pairs).items()}


def test_the_reference_is_the_best_trivial_system_rather_than_the_majority(tmp_path: Path) -> None:
    """Random answers beat a constant's α of 0 on some items by luck; compared with another random system, that is no evidence."""
    found = beside_trivial(POCKET, read_submission(POCKET, BUNDLED / "pocket" / "sample").pairs)
    assert {one.system for one in found.values()} > {"majority"}
    for name in TRIVIAL[1:]:
        assert main(["evaluate", name, "pocket/stance-sv", "--out", str(tmp_path / name), "--json"]) == 0
        answers = tmp_path / name / "predictions" / "seed-0" / "stance-sv" / "test.jsonl"
        (tmp_path / f"{name}-sent").mkdir()
        (tmp_path / f"{name}-sent" / "stance-sv.jsonl").write_text(answers.read_text())
        pairs = read_submission(POCKET, tmp_path / f"{name}-sent").pairs
        assert verdicts(POCKET, pairs) == {"stance-sv": Verdict.UNTOLD}
        assert beside_trivial(POCKET, pairs, name) == {}


def test_a_mostly_correct_system_is_better_than_trivial() -> None:
    pairs = read_submission(POCKET, BUNDLED / "pocket" / "sample").pairs
    found = verdicts(POCKET, pairs)
    assert found["stance-sv"] == Verdict.BETTER
    assert {task for task, finding in found.items() if finding != Verdict.BETTER} <= {"summaries-eu", "coreference-eu", "word-sense-sv"}


def test_a_constant_is_never_better(tmp_path: Path) -> None:
    ids = [f"stance-sv-test-{number:03}" for number in range(1, 41)]
    (tmp_path / "stance-sv.jsonl").write_text("".join(f'{{"id": "{name}", "prediction": "neutral"}}\n' for name in ids))
    pairs = read_submission(POCKET, tmp_path).pairs
    assert verdicts(POCKET, pairs)["stance-sv"] != Verdict.BETTER
    assert one_answer(pairs) == ["stance-sv"]


def test_varying_answers_are_not_reported_as_constant() -> None:
    assert one_answer(read_submission(POCKET, BUNDLED / "pocket" / "sample").pairs) == []


def test_a_chance_correlation_cannot_be_distinguished_from_a_constant(tmp_path: Path) -> None:
    rows = [f'{{"id": "word-pairs-eu-test-{n:03}", "prediction": {(n * 7919) % 101 / 10}}}\n' for n in range(1, 41)]
    (tmp_path / "word-pairs-eu.jsonl").write_text("".join(rows))
    pairs = read_submission(POCKET, tmp_path).pairs
    assert verdicts(POCKET, pairs) == {"word-pairs-eu": Verdict.UNTOLD}


def test_answers_that_are_always_wrong_are_worse_than_a_constant(tmp_path: Path) -> None:
    gold = {example.id: example.target for example in load_examples(POCKET.tasks["stance-sv"], "test")}
    wrong = {"positive": "negative", "negative": "neutral", "neutral": "positive"}
    rows = [f'{{"id": "{name}", "prediction": "{wrong[label]}"}}\n' for name, label in gold.items()]
    (tmp_path / "stance-sv.jsonl").write_text("".join(rows))
    assert verdicts(POCKET, read_submission(POCKET, tmp_path).pairs) == {"stance-sv": Verdict.WORSE}


def test_a_reversed_correlation_is_worse_than_a_constant(tmp_path: Path) -> None:
    gold = {example.id: example.target for example in load_examples(POCKET.tasks["word-pairs-eu"], "test")}
    (tmp_path / "word-pairs-eu.jsonl").write_text("".join(f'{{"id": "{name}", "prediction": {10 - of}}}\n' for name, of in gold.items()))
    assert verdicts(POCKET, read_submission(POCKET, tmp_path).pairs) == {"word-pairs-eu": Verdict.WORSE}
