"""Four runs, one of them with a hostile name, with their report and page."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.reporting.made import EVIL, guess, make_run

from gluepot.models import ModelName
from gluepot.reporting import Report, make_report
from gluepot.reporting.html.page import render_page


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    place = tmp_path_factory.mktemp("runs")
    return [
        make_run(place / "majority", ModelName("majority"), guess(0.0)),
        make_run(place / "weak", ModelName("tfidf-logistic"), guess(0.5, sure=0.7), seeds=2),
        make_run(place / "strong", ModelName("command", EVIL), guess(0.9, sure=0.95)),
        make_run(place / "partial", ModelName("tfidf-tree"), guess(0.6), limit=10),
    ]


@pytest.fixture(scope="session")
def report(runs: list[Path]) -> Report:
    return make_report(runs)


@pytest.fixture(scope="session")
def page(report: Report) -> str:
    return render_page(report)


@pytest.fixture(scope="session")
def tree(page: str) -> ElementTree.Element:
    return ElementTree.fromstring(page.removeprefix("<!doctype html>"))
