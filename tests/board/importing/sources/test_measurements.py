"""Import of gluepot's own measurements: joined to the runs of the same system, one plot per machine."""

from pathlib import Path

import pytest

from gluepot.cli import main


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("measured")
    words = ["--out", str(place / "figures"), "--records", "64", "--repeats", "1", "--json"]
    assert main(["measure", "majority", "pocket/stance-sv", *words]) == 0
    assert main(["evaluate", "majority", "pocket", "--tasks", "stance-sv", "--out", str(place / "run")]) == 0
    return place


def test_a_measurement_joins_the_system_of_its_run(board, measured):
    from gluepot.board.importing import import_paths
    from gluepot.board.models import Measurement, System

    report = import_paths([measured / "run", measured / "figures"])
    assert [str(problem) for problem in report.problems] == []
    assert [(line.kind, line.system, line.measured) for line in report.lines] == [("run", "majority", 0), ("timing", "majority", 3)]
    assert System.objects.count() == 1
    rows = {row.quantity: row for row in Measurement.objects.all()}
    assert sorted(rows) == ["memory", "startup", "throughput"]
    assert "core" in rows["throughput"].profile
    assert [line.state for line in import_paths([measured / "figures"]).lines] == ["already there"]
    from django.test import Client

    from gluepot.tasks.declarations import load_suite

    page = Client(HTTP_HOST="localhost").get(f"/b/pocket/{load_suite('pocket').version}/performance.json").json()
    assert [(point["name"], point["frontier"]) for point in page["points"]] == [("majority", "on")]


def test_measurement_without_figures_is_refused_with_the_reason(board, tmp_path):
    from gluepot.board.importing import import_paths

    out = ["--out", str(tmp_path), "--records", "64", "--repeats", "1", "--json"]
    assert main(["measure", "command:false", "pocket/stance-sv", *out]) == 1
    [problem] = import_paths([tmp_path]).problems
    assert problem.code == "refused-measurement"
    assert "ended with code 1" in problem.message
