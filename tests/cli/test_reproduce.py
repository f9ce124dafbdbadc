"""`gluepot reproduce`: published cells beside recomputed values, and an exit code for unexplained differences."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.tasks.own_suite import write_faroe, write_lines

from gluepot.cli import main

CELL = {"source": "Table 1", "model": "wheel", "task": "reviews", "split": "test", "metric": "accuracy", "value": 0.75, "decimals": 2}
"""The system `wheel` answers six of eight reviews correctly."""


class Faroe:
    """The suite with a published table, and the predictions of the system `wheel`."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.suite, self.predictions, self.capsys = write_faroe(folder), folder / "submissions" / "wheel", capsys
        gold = [json.loads(line) for line in (self.suite / "data" / "reviews" / "test.jsonl").read_text().splitlines()]
        other = {"good": "bad", "bad": "good"}
        self.predictions.mkdir(parents=True)
        rows = [{"id": one["id"], "prediction": one["label"] if n > 1 else other[one["label"]]} for n, one in enumerate(gold)]
        write_lines(self.predictions / "reviews.jsonl", rows)

    def print(self, *cells: dict[str, Any]) -> None:
        write_lines(self.suite / "published.jsonl", list(cells))

    def run(self, *words: str) -> tuple[int, str, str]:
        code = main(["reproduce", str(self.suite), *words])
        said = self.capsys.readouterr()
        return code, " ".join(said.out.split()), said.err


@pytest.fixture
def faroe(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Faroe:
    monkeypatch.setenv("COLUMNS", "120")
    return Faroe(tmp_path, capsys)


def test_a_reproduced_cell_is_equal(faroe: Faroe) -> None:
    faroe.print(CELL)
    code, out, _ = faroe.run(str(faroe.predictions.parent))
    assert code == 0
    assert "1 of 1 cell recomputed: 1 equal" in out
    assert "wheel reviews accuracy 0.75 0.7500 =" in out


def test_a_single_submission_may_be_given_by_its_folder(faroe: Faroe) -> None:
    faroe.print(CELL)
    assert "1 of 1 cell recomputed: 1 equal" in faroe.run(str(faroe.predictions))[1]


def test_a_last_digit_is_tolerated_and_a_difference_exits_with_1(faroe: Faroe) -> None:
    faroe.print({**CELL, "value": 0.76})
    assert faroe.run(str(faroe.predictions))[0] == 0
    faroe.print(CELL, {**CELL, "value": 0.9})
    code, out, _ = faroe.run(str(faroe.predictions))
    assert code == 1
    assert "1 equal, 0 different in the last digit, 1 different, 0 of them explained" in out


def test_a_known_error_explains_a_difference(faroe: Faroe) -> None:
    faroe.print({**CELL, "value": 0.9})
    (faroe.suite / "errata.toml").write_text('notes = ["Of the table."]\n[[known]]\nreason = "A misprint."\nmodel = "wheel"\n')
    code, out, _ = faroe.run(str(faroe.predictions))
    assert code == 0
    assert "A misprint." in out
    assert "Of the table." in out
    assert "1 different, 1 of them explained" in out


def test_cells_not_recomputed_are_counted_by_reason_and_listed_on_demand(faroe: Faroe) -> None:
    faroe.print(CELL, {**CELL, "model": "axle"})
    code, out, _ = faroe.run(str(faroe.predictions))
    assert code == 0
    assert "? 1 cell: Nothing at the named PATH gives it." in out
    assert "axle" not in out
    assert "axle reviews accuracy 0.75 – ?" in faroe.run(str(faroe.predictions), "--all")[1]
    assert "2 cells: Nothing was named to compute it from" in faroe.run()[1]


def test_json_is_one_document_with_every_cell(faroe: Faroe) -> None:
    faroe.print(CELL, {**CELL, "value": 90, "scale": 100, "decimals": 0})
    code = main(["reproduce", str(faroe.suite), str(faroe.predictions), "--json"])
    said = faroe.capsys.readouterr()
    document = json.loads(said.out)
    assert (code, said.err, document["suite"], document["counts"]) == (1, "", "faroe", {"=": 1, "≠": 1})
    assert [(cell["theirs"], cell["ours"], cell["mark"]) for cell in document["cells"]] == [(0.75, 0.75, "="), (90, 75.0, "≠")]


def test_reports_a_suite_without_published_results(faroe: Faroe) -> None:
    code, out, err = faroe.run()
    assert (code, out) == (1, "")
    assert "faroe: no published results are declared." in err


def test_a_missing_path_and_an_unknown_suite_are_wrong_use(faroe: Faroe) -> None:
    faroe.print(CELL)
    code, _, err = faroe.run("nowhere")
    assert code == 2
    assert "nowhere" in err
    assert main(["reproduce", "superlin"]) == 2
    assert "Did you mean 'superlim'?" in faroe.capsys.readouterr().err
