"""Comparison of systems: clear differences survive multiple testing, all seeds count, and undefined scores are reported."""

import json
from pathlib import Path

import numpy as np
import pytest

from gluepot.cli import main
from gluepot.cli.compare import summarise
from gluepot.data.examples import load_examples
from gluepot.runs.comparison.comparison import ComparedSystemRuns, compare_systems
from gluepot.runs.comparison.matchup import Matchup
from gluepot.submissions.pairing import PairedAnswers
from gluepot.submissions.reading import read_submission
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.search_path import BUNDLED

POCKET = load_suite("pocket")
STANCE = POCKET.tasks["stance-sv"]
ITEMS = load_examples(STANCE, "test")
PLACE = ("stance-sv", "test")
CONSTANT = {"alpha-nominal": "neutral"}


def stance(name: str, *seeds: list[str]) -> ComparedSystemRuns:
    return ComparedSystemRuns(name, {PLACE: [PairedAnswers(STANCE, "test", name, ITEMS, answers) for answers in seeds]})


def answers(rng: np.random.Generator, right: float) -> list[str]:
    return [item.target if rng.random() < right else str(rng.choice(STANCE.labels)) for item in ITEMS]


def test_a_clear_difference_is_found_however_many_systems_are_compared() -> None:
    rng = np.random.default_rng(1)
    good = stance("good", [item.target for item in ITEMS])
    bad = [stance(f"bad {number}", answers(rng, 0.0)) for number in range(8)]
    rows = compare_systems([good, *bad])
    assert len(rows) == 36
    mine = [row for row in rows if row.a == "good"]
    assert {row.verdict for row in mine} == {f"good is better than bad {number}" for number in range(8)}
    assert all(row.p_corrected is not None and row.p_corrected < 0.05 for row in mine)
    assert max(row.resamples for row in mine) >= 40 * 36  # below 2 / 40·36 no p-value passes Holm's first step


def test_resampling_stops_early_without_evidence_of_a_difference() -> None:
    rng = np.random.default_rng(2)
    rows = compare_systems([stance(f"{number}", answers(rng, 0.5)) for number in range(8)])
    assert min(row.resamples for row in rows if not row.winner) == 1000


def test_a_bound_on_p_is_never_reported_as_no_difference() -> None:
    rng = np.random.default_rng(3)
    systems = [stance("good", [item.target for item in ITEMS]), *(stance(f"bad {n}", answers(rng, 0.0)) for n in range(8))]
    for row in compare_systems(systems, resamples=50):
        assert not (row.p_is_bound and row.difference and row.verdict.startswith("cannot be told apart"))


def test_all_seeds_of_a_run_are_compared() -> None:
    right, wrong = [item.target for item in ITEMS], ["positive" if item.target != "positive" else "negative" for item in ITEMS]
    (row,) = compare_systems([stance("lucky first seed", right, wrong, wrong), stance("steady", right)])
    assert row.seeds == (3, 1)
    assert row.value_a is not None
    assert row.value_a == pytest.approx(np.mean([1.0, *2 * [compare_systems([stance("w", wrong), stance("r", right)])[0].value_a]]))
    assert row.test == "paired bootstrap"


def test_false_positive_rate_with_several_seeds_is_within_the_level() -> None:
    rng = np.random.default_rng(4)
    found = []
    for _ in range(150):
        skills = rng.normal(0.6, 0.08, size=(2, 5))  # trainings of one recipe differ
        systems = [[PairedAnswers(STANCE, "test", "", ITEMS, answers(rng, skill)) for skill in own] for own in skills]
        found.append(Matchup(systems).judge(400, 400)[0, 1].p < 0.05)
    assert np.mean(found) < 0.11  # three standard errors above 5 %


@pytest.mark.parametrize("against", [1, None])
def test_draws_no_more_resamples_than_requested(against: int | None) -> None:
    gold, wrong = [item.target for item in ITEMS], ["neutral" for _ in ITEMS]
    matchup = Matchup([[PairedAnswers(STANCE, "test", "", ITEMS, given)] for given in (gold, gold, wrong)])
    matchup.judge(100, 3000, against)
    assert [len(drawn) for drawn in matchup.drawn] == ([100, 3000, 3000] if against == 1 else [3000] * 3)


def test_undefined_scores_are_not_compared_and_the_reason_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = load_examples(POCKET.tasks["word-pairs-eu"], "test")
    for name, of in {"constant": lambda item: 5.0, "gold": lambda item: item.target}.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "word-pairs-eu.jsonl").write_text("".join(f'{{"id": "{i.id}", "prediction": {of(i)}}}\n' for i in items))
    paths = [str(tmp_path / name) for name in ("constant", "gold")]
    assert main(["compare", *paths, "--suite", "pocket", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (row["value_a"], row["difference"], row["p"], row["detectable"]) == (None, None, None, None)
    assert row["verdict"] == "not compared: spearman is undefined for constant"
    assert main(["compare", *paths, "--suite", "pocket"]) == 0
    shown = capsys.readouterr().out
    assert "nan" not in shown
    assert "Not compared on word-pairs-eu: spearman is undefined for constant." in shown


def test_mcnemar_is_used_where_items_are_right_or_wrong() -> None:
    sample = read_submission(POCKET, BUNDLED / "pocket" / "sample").pairs
    systems = [ComparedSystemRuns(name, {(pair.task.name, pair.split): [pair] for pair in sample}) for name in "ab"]
    rows = compare_systems(systems)
    assert {row.test for row in rows if row.metric in ("accuracy", "pseudo-alpha")} == {"McNemar, exact"}
    assert {row.p for row in rows} == {1.0}
    assert summarise(rows)[0].startswith("Not distinguishable on ")


def test_runs_of_one_model_get_distinct_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = [json.dumps({"id": item.id, "prediction": item.target}) for item in ITEMS]
    for place in ("one/x", "two/x", "y"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "stance-sv.jsonl").write_text("\n".join(gold))
    paths = [str(tmp_path / place) for place in ("one/x", "two/x", "y")]
    assert main(["compare", *paths, "--suite", "pocket", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["systems"] == ["x (x)", "x (x, 2)", "y"]
    assert [(row["a"], row["b"]) for row in found["comparisons"]] == [("x (x)", "x (x, 2)"), ("x (x)", "y"), ("x (x, 2)", "y")]
    assert main(["compare", *paths, "--suite", "pocket"]) == 0
    assert capsys.readouterr().out.count("Not distinguishable on stance-sv.") == 3
