"""Selection and grouping of runs in a report."""

import shutil
from pathlib import Path

import pytest
from tests.reporting.made import POCKET, guess, make_run
from tests.runs.tampering import data_in, other_gold

from gluepot.errors import WrongUse
from gluepot.models import ModelName
from gluepot.reporting import make_report
from gluepot.reporting.html.page import render_page
from gluepot.runs.evaluation import SCORES
from gluepot.tasks.search_path import BUNDLED


def test_runs_on_other_data_get_a_section_of_their_own(runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as changed:
        changed.setattr("gluepot.data.folders.data_folder", data_in(other_gold(tmp_path / "gold")))
        other = make_run(tmp_path / "other", ModelName("tfidf-logistic"), guess(0.5))
        report = make_report([runs[1], other])
        assert [section.systems for section in report.sections] == [[0, 1]], "both are judged by what is here"
        assert any("has changed" in remark for remark in report.systems[0].remarks)
    monkeypatch.setattr("gluepot.data.folders.data_folder", data_in(tmp_path / "nothing"))
    report = make_report([runs[1], other])
    assert [section.systems for section in report.sections] == [[0], [1]]
    assert [card.name for card in report.systems] == ["tfidf-logistic (weak)", "tfidf-logistic (other)"]
    assert "Pocket 1, test, other data (2)" in render_page(report)


def test_a_run_without_scores_is_scored(runs: list[Path], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(runs[3], copy)
    (copy / SCORES).unlink()
    (section,) = make_report([copy]).sections
    assert section.rows[0].cells[0] is not None


def test_submissions_require_a_suite_and_are_shown_with_runs(runs: list[Path]) -> None:
    sample = BUNDLED / "pocket" / "sample"
    with pytest.raises(WrongUse, match="--suite"):
        make_report([sample])
    report = make_report([runs[1], sample], POCKET)
    assert report.sections[0].systems == [0, 1]
    assert report.systems[1].started is None
