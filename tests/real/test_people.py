"""Figures measured on published votes."""

import json
from pathlib import Path

import pytest

from gluepot.cli.agreement import measure
from gluepot.people.human import HumanReport, human_report
from gluepot.tasks.declarations import find


@pytest.fixture(scope="session")
def annotations(real_data: Path) -> Path:
    folder = real_data.parent / "annotations" / "russian-superglue"
    if not folder.is_dir():
        pytest.skip("needs published votes in a folder `annotations` beside $GLUEPOT_DATA")
    return folder


def report_on(annotations: Path, name: str, by: str = "majority", resamples: int = 1000) -> HumanReport:
    suite, task = find(f"russian-superglue/{name}")
    assert task is not None
    return human_report(suite, task, [annotations / f"assign_{name}.tsv"], by=by, resamples=resamples)[0]


def rounded(report: HumanReport, measure: str) -> list[float]:
    one = next(one for one in report.agreement if one.measure == measure)
    return [round(value, 5) for value in (one.value, one.low, one.high, one.low_raters, one.high_raters) if value is not None]


@pytest.mark.parametrize("by", ["majority", "dawid-skene", "mace"])
def test_figures_of_parus(annotations: Path, by: str) -> None:
    report = report_on(annotations, "PARus", by)
    assert (report.items, report.votes, report.raters, report.unanimous, report.ties) == (500, 1500, 111, 449, 0)
    assert report.labels == {"0": 248, "1": 252}
    assert (report.split, report.join.items_found, report.join.gold_rows_found, report.join.gold_rows_without_votes) == (
        "test",
        500,
        500,
        0,
    )
    assert rounded(report, "percent-items")[0] == 0.932
    assert rounded(report, "fleiss-pooled")[0] == 0.86395
    value, low, high, *_ = rounded(report, "alpha-nominal")
    assert value == 0.86404
    assert (low, high) == (pytest.approx(0.827, abs=0.003), pytest.approx(0.898, abs=0.003))
    assert [score.value for score in report.scores] == [None, None]
    assert report.scores[0].reason == "the answers to PARus test are not published"


def test_figures_of_russe(annotations: Path) -> None:
    report = report_on(annotations, "RUSSE")
    assert (report.items, report.votes, report.raters, report.ties) == (1140, 4684, 192, 60)
    assert report.labels == {"false": 528, "true": 612}
    alpha = next(one for one in report.agreement if one.measure == "alpha-nominal")
    assert (alpha.units, alpha.votes) == (1140 - 123, 4561)
    value, *ends = rounded(report, "alpha-nominal")
    assert value == 0.54478
    assert ends == [pytest.approx(end, abs=0.004) for end in (0.511, 0.577, 0.493, 0.597)]
    exact = {"percent-items": 0.77704, "percent-pairs": 0.76476, "fleiss-pooled": 0.5534, "ac1": 0.55478}
    assert {name: rounded(report, name)[0] for name in exact} == exact
    assert (report.join.items_found, report.join.gold_rows, report.join.votes_without_gold) == (1140, 18_892, 0)


@pytest.mark.parametrize(("by", "labels"), [("dawid-skene", {"false": 509, "true": 631}), ("mace", {"false": 523, "true": 617})])
def test_labels_of_rater_models_on_russe(annotations: Path, by: str, labels: dict[str, float]) -> None:
    assert report_on(annotations, "RUSSE", by, resamples=20).labels == labels


def test_absabank_agreement_matches_its_sheet(real_data: Path) -> None:
    found = measure(["superlim/absabank-imm"])["sets"][0]
    assert (found.items, found.votes) == (4872, 5588)
    assert found.alpha_interval == pytest.approx(0.63622, abs=5e-6)
    assert found.left_out > 0


def test_absabank_agreement_of_seven_annotators_matches_its_sheet(real_data: Path) -> None:
    import numpy as np

    from gluepot.statistics.agreement import UnitVotes
    from gluepot.statistics.agreement.alpha import alpha_interval

    seven = ["a1", "a6", "a7", "a8", "a9", "a10", "a11"]
    files = sorted((real_data / "superlim" / "absabank-imm").glob("*.jsonl"))
    rows = [json.loads(line) for path in files for line in path.read_bytes().split(b"\n") if line.strip()]
    judged = [row for row in rows if all(row.get(name) is not None for name in seven)]
    assert len(judged) == 16
    votes = UnitVotes.of([(number, name, float(row[name])) for number, row in enumerate(judged) for name in seven])
    assert float(alpha_interval(votes, np.ones((1, votes.units)))[0]) == pytest.approx(0.6090, abs=5e-5)


def test_figures_of_supersim(real_data: Path) -> None:
    found = {one.name: one for one in measure(["supersim"])["sets"]}
    figures = {name: tuple(round(v, 5) for v in (one.spearman, one.pearson, one.alpha_interval)) for name, one in found.items()}
    assert figures == {"supersim/similarity": (0.67438, 0.71522, 0.68209), "supersim/relatedness": (0.73356, 0.7223, 0.70378)}
