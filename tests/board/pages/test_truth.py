"""The truth of numbers: recomputed from what is on the board, and silent where nothing is."""

import json
from pathlib import Path
from shutil import copy, copytree
from typing import Any

import pytest
from django.test import Client
from tests.board.pages.answering import add_score, add_system, open_suite

HOST = {"HTTP_HOST": "localhost"}


def claims(client: Client) -> dict[str, dict[str, Any]]:
    return {claim["key"]: claim for claim in json.loads(client.get("/truth.json").content)["claims"]}


def change() -> None:
    """What an import does last."""
    from gluepot.board.importing.storing import bump_revision

    bump_revision()


def test_an_empty_board_says_what_is_missing_and_still_shows_what_needs_no_data(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    response = Client(**HOST).get("/truth")
    assert response.status_code == 200
    found = claims(Client(**HOST))
    assert found["parity"]["lines"] == []
    assert "on this board" in found["parity"]["missing"]
    assert "gluepot data fetch" in found["entities"]["missing"]
    assert found["rouge"]["lines"][0]["printed"] == 1.0
    assert found["rouge"]["lines"][0]["computed"] == 0.0
    assert (found["duplicates"]["lines"][0]["printed"], found["duplicates"]["lines"][0]["computed"]) == (0.5, 0.75)


def test_misprints_come_from_their_own_rows(board: Path) -> None:
    lines = {line["what"]: line for line in claims(Client(**HOST))["misprints"]["lines"]}
    assert lines["Decision Tree, SweNLI"]["printed"] == 0.192
    assert lines["Decision Tree, SweNLI"]["computed"] == pytest.approx(0.013, abs=0.005)
    assert round(lines["Random, average"]["computed"], 3) == -0.023
    assert round(lines["Decision Tree, average"]["computed"], 3) == 0.097


def test_people_are_not_ranked_and_every_system_moves_up(board: Path) -> None:
    lines = claims(Client(**HOST))["human"]["lines"]
    assert lines[0]["what"] == "HUMAN BENCHMARK"
    assert lines[0]["printed"] == 1
    assert lines[0]["computed"] is None
    assert [line["computed"] for line in lines if line["computed"]] == list(range(1, 11))


def test_intervals_are_simulated_and_promise_more_than_they_hold(board: Path) -> None:
    printed, ours = claims(Client(**HOST))["intervals"]["lines"]
    assert printed["computed"] == pytest.approx(43, abs=1.5)
    assert ours["computed"] == pytest.approx(95, abs=1)


def test_stated_figures_are_set_against_the_computed_ones(board: Path) -> None:
    from gluepot.board.models import Stated

    version = open_suite("superlim")
    entry = add_system(version, "even", name="<b>Even</b>")
    add_score(entry, "swewinogender", "gender-parity", 1.0, n=208)
    rows = [("swewinogender", "gender-parity", 1 / 3, 1.0), ("swediagnostics", "n", 305.0, 1104.0)]
    for task, metric, stated, computed in rows:
        Stated.objects.create(entry=entry, task=task, split="test", metric=metric, stated=stated, computed=computed, agrees=False)
    change()
    found = claims(Client(**HOST))
    assert found["parity"]["lines"][0]["note"].endswith("= 1.0000")
    assert found["size"]["lines"][0]["note"] == "the size of SweNLI test"
    page = Client(**HOST).get("/truth").content.decode()
    assert "<b>Even</b>" not in page
    assert "&lt;b&gt;Even&lt;/b&gt;" in page


def test_the_faq_column_is_compared_with_both_metrics(board: Path) -> None:
    entry = add_system(open_suite("superlim"), "svm", name="SVM")
    add_score(entry, "swefaq", "alpha-nominal", 0.0379)
    add_score(entry, "swefaq", "pseudo-alpha", 0.0412)
    change()
    found = claims(Client(**HOST))
    line = found["faq"]["lines"][0]
    assert (line["printed"], round(line["computed"], 3), line["note"]) == (0.038, 0.041, "nominal α: 0.038")
    assert "1 come out" in found["checked"]["text"]
    task = Client(**HOST).get("/b/superlim/2.0.4/tasks/swefaq").content.decode()
    assert "/truth#faq" in task


def test_timings_that_differ_from_print_are_listed(board: Path) -> None:
    from gluepot.board.models import Measurement

    entry = add_system(open_suite("russian-superglue"), "rubert", name="RuBERT plain")
    entry.kind = "timing"
    entry.save()
    for task, value, reported in (("RCB", 294.7, 295.0), ("TERRa", 197.0, 179.0)):
        Measurement.objects.create(entry=entry, task=task, quantity="throughput", value=value, reported=reported, profile="p")
    change()
    claim = claims(Client(**HOST))["timings"]
    assert [line["what"] for line in claim["lines"]] == ["RuBERT plain, TERRa, throughput"]
    assert "for 2 are on this board; 1 of these agree" in claim["missing"]


def test_danish_entities_and_faq_candidates_on_real_data(board: Path, real_data: Path) -> None:
    found = claims(Client(**HOST))
    dane = found["entities"]["lines"][1]
    assert dane["computed"] == pytest.approx(0.8, abs=0.01)  # two thirds found: recall 2/3, precision 1
    assert dane["printed"] < dane["computed"] - 0.1
    line = found["candidates"]["lines"][0]
    assert (line["printed"], line["computed"]) == (2049, 2007)


@pytest.mark.slow
def test_real_submissions_show_parity_n_and_the_faq_column(board: Path, submissions: Path, tmp_path: Path) -> None:
    from gluepot.board.importing import import_paths

    name = "KB-bert-base-swedish-cased"
    for task in ("swefaq", "swediagnostics", "swewinogender"):
        copytree(submissions / "superlim" / name / task, tmp_path / name / task)
    copy(submissions / "superlim" / name / f"{name}.json", tmp_path / name)
    import_paths([tmp_path / name], "superlim")
    found = claims(Client(**HOST))
    assert round(found["parity"]["lines"][0]["printed"], 4) == 0.3333
    assert found["parity"]["lines"][0]["computed"] == 1.0
    assert [(line["printed"], line["computed"]) for line in found["size"]["lines"]] == [(305, 1104)]
    assert len(found["faq"]["lines"]) == 1
    assert "0 differ by more" in found["checked"]["text"]
