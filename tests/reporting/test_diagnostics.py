"""Reports of runs on official data: diagnostics in two languages, reported values, page size."""

import re
from pathlib import Path

import pytest
from tests.reporting.made import guess, make_run

from gluepot.models import ModelName
from gluepot.reporting import Report, make_report
from gluepot.reporting.html.page import render_page
from gluepot.tasks.declarations import load_suite


@pytest.fixture(scope="module")
def diagnostics(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    place = tmp_path_factory.mktemp("real")
    swedish, russian = load_suite("superlim"), load_suite("russian-superglue")
    one = make_run(place / "sv", ModelName("tfidf-svm"), guess(0.6), swedish, tasks=["swenli", "swediagnostics", "swewinogender"])
    two = make_run(place / "ru", ModelName("tfidf-svm"), guess(0.6), russian, tasks=["LiDiRus"])
    return make_report([one, two])


def test_diagnostics_of_two_languages_share_one_heat_map(diagnostics: Report) -> None:
    (heat,) = diagnostics.diagnostics
    assert [column.task for column in heat.columns] == ["swediagnostics", "LiDiRus"]
    assert sum(row.fine is None for row in heat.rows) == 4
    assert sum(row.fine is not None for row in heat.rows) == 33
    assert all(cell is not None for row in heat.rows for cell in row.cells)
    assert any(row.reported for row in heat.rows)


def test_gender_parity_is_reported_beside_the_score(diagnostics: Report) -> None:
    (parity,) = diagnostics.sections[0].parity
    assert (parity.metric, parity.parity.n, parity.score.n) == ("alpha-nominal", 208, 624)


def test_reported_values_have_their_source_and_known_errors(diagnostics: Report) -> None:
    row = next(row for row in diagnostics.sections[0].rows if row.task == "swenli" and row.primary)
    assert len(row.reported) == 13
    assert {mark.source for mark in row.reported} == {"Superlim paper, Table 5"}
    assert [mark.model for mark in row.reported if mark.wrong] == ["Decision Tree"]
    page = render_page(diagnostics)
    assert "published, known to be wrong" in page
    assert re.search(r"19\.2<sup>†\d</sup>", page)


def test_scores_are_shown_without_the_items(real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path / "run", ModelName("tfidf-svm"), guess(0.6), load_suite("superlim"), tasks=["swenli"])
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path / "nothing"))
    report = make_report([run])
    assert report.sections[0].rows[1].cells[0] is not None
    assert report.sections[0].confusions == []
    assert any("gluepot data fetch superlim" in remark for remark in report.systems[0].remarks)


@pytest.mark.slow
def test_ten_thousand_items_make_a_page_below_200_kb(real_data: Path, tmp_path: Path) -> None:
    suite = load_suite("superlim")
    paths = [make_run(tmp_path / str(n), ModelName("tfidf-svm"), guess(n / 10), suite, tasks=["swenli"], split="dev") for n in (5, 6, 7)]
    page = render_page(make_report(paths))
    assert "9,815 items" in page
    assert len(page) < 200_000
