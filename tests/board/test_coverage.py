"""Omitted predictions on a board: n and coverage next to every value, and no rank below the declared share."""

import csv
import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from tests.board.published import bring_published

from gluepot.metrics import METRICS

PAIRS = 100
RNG = np.random.default_rng(4)
GOLD = RNG.permutation(PAIRS) / 10
GOOD, POOR = (GOLD + RNG.normal(0, 2, PAIRS)).tolist(), (GOLD + RNG.normal(0, 6, PAIRS)).tolist()
SOME = [None if number % 10 == 0 else answer for number, answer in enumerate(GOOD)]
THREE = [GOLD[number] if number in (5, 50, 95) else None for number in range(PAIRS)]
ADDRESS = "/b/supersim/1.0"


@pytest.fixture
def client(board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    """SuperSim with a hundred pairs and four systems: two complete, one that omits a tenth, one with three correct predictions."""
    from gluepot.board.importing import import_paths

    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path / "data"))
    for task in ("similarity", "relatedness"):
        rows = ["Word 1\tWord 2\tAnno 1\tAverage", *(f"ord{n}\tsak{n}\t{gold}\t{gold}" for n, gold in enumerate(GOLD))]
        put(tmp_path / "data" / "supersim" / "data" / f"gold_{task}.tsv", "\n".join(rows))
    for name, answers in {"good": GOOD, "poor": POOR, "some": SOME, "three": THREE}.items():
        submit(tmp_path / name, answers)
        report = import_paths([tmp_path / name], "supersim")
        assert report.problems == []
    return Client(HTTP_HOST="localhost")


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")


def submit(folder: Path, answers: Sequence[float | None]) -> None:
    for task in ("similarity", "relatedness"):
        put(folder / f"{task}.jsonl", "\n".join(json.dumps({"id": str(n), "prediction": one}) for n, one in enumerate(answers)))


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def standings(client: Client) -> dict[str, dict[str, Any]]:
    rows = json.loads(page(client, "/api/suites/supersim/1.0/standings"))["rows"]
    return {row["system"]: row for row in rows}


def whole_value() -> float:
    """Return Spearman's ρ with omitted predictions replaced by the median."""
    given = sorted(answer for answer in SOME if answer is not None)
    middle = given[(len(given) - 1) // 2]
    return METRICS["spearman"](GOLD, [middle if answer is None else answer for answer in SOME])


def test_three_right_answers_are_shown_and_never_ranked(client: Client) -> None:
    row = standings(client)["three"]
    assert (row["section"], row["rank"], row["overall"], row["coverage"]) == ("incomplete", None, None, "0/2")
    cell = row["scores"]["similarity"]
    assert (cell["value"], cell["n"], cell["coverage"], cell["ranked"]) == (pytest.approx(1.0), 3, 0.03, False)
    assert cell["note"] == "3 of 100 items answered (3 %), and a score ranks from 88 % on"
    assert {name for name, one in standings(client).items() if one["rank"] == 1} <= {"good", "some"}


def test_system_that_omits_items_ranks_by_its_value_over_all_items(client: Client) -> None:
    row = standings(client)["some"]
    cell = row["scores"]["similarity"]
    assert cell["value"] == pytest.approx(whole_value())
    kept = [number for number, answer in enumerate(SOME) if answer is not None]
    assert cell["answered"] == pytest.approx(METRICS["spearman"](GOLD[kept], [SOME[number] for number in kept]))
    assert (cell["n"], cell["coverage"], cell["ranked"]) == (90, 0.9, True)
    assert cell["low"] < cell["value"] < cell["high"]
    assert row["overall"] == pytest.approx(whole_value())
    assert row["left_out"] == {"similarity": 0.9, "relatedness": 0.9}
    assert standings(client)["good"]["left_out"] == {}


def test_table_shows_n_and_coverage_next_to_each_value(client: Client) -> None:
    text = page(client, ADDRESS)
    assert "<small>n 90 · 90.0 %</small>" in text
    assert "<small>n 3 · 3.0 %</small><small>not ranked</small>" in text
    assert "<small>n 100 · 100.0 %</small>" in text
    assert "how many items were answered, where some may be left out" in text


@pytest.mark.parametrize("language", ["sv", "da", "ru", "eu"])
def test_coverage_is_translated_in_every_language(client: Client, language: str) -> None:
    for address in (ADDRESS, f"{ADDRESS}/tasks/similarity", "/s/three"):
        text = page(client, f"/{language}{address}")
        assert not [said for said in ("not ranked", "on these", "how many items were answered", ">Answered<", ">Left out<") if said in text]


def test_files_contain_n_coverage_and_ranked(client: Client) -> None:
    lines = [line for line in page(client, f"{ADDRESS}.csv").splitlines() if not line.startswith("#")]
    rows = {row["system"]: row for row in csv.DictReader(StringIO("\n".join(lines)))}
    facts = [[rows[name][f"similarity:{what}"] for what in ("n", "coverage", "ranked")] for name in ("some", "three", "good")]
    assert facts == [["90", "0.9", "1"], ["3", "0.03", "0"], ["100", "1.0", "1"]]
    assert float(rows["some"]["similarity:answered"]) > float(rows["some"]["similarity:spearman"])
    assert "(n 3, 3.0 %, not ranked)" in page(client, f"{ADDRESS}.md")


def test_the_api_has_n_and_coverage_of_each_score(client: Client) -> None:
    rows = json.loads(page(client, "/api/scores?suite=supersim&metric=spearman&task=similarity&limit=50"))["items"]
    facts = {row["name"]: (row["n"], row["coverage"], row["ranked"], row["verified"]) for row in rows if not row["slice"]}
    whole = (100, 1.0, True, True)
    assert facts == {"good": whole, "poor": whole, "some": (90, 0.9, True, True), "three": (3, 0.03, False, True)}
    (task, *_) = json.loads(page(client, "/api/suites/supersim/1.0"))["tasks"]
    assert (task["may_skip"], task["coverage"]) == (True, 0.88)
    assert "1,197 to 1,297" in task["published_skips"]


def test_system_and_task_pages_show_coverage(client: Client) -> None:
    text = page(client, "/s/three")
    assert "<small>not ranked</small>" in text
    assert "<small>3.0 %</small>" in text
    assert "3 of 100 items answered" in text
    alone = 100 * standings(client)["some"]["scores"]["similarity"]["answered"]
    assert f"<small>90.0 %: {alone:.1f} on these</small>" in page(client, "/s/some")
    scores = json.loads(page(client, f"{ADDRESS}/tasks/similarity.json"))["scores"]
    assert [one["name"] for one in scores][-1] == "three", "what does not rank comes last, whatever its value"
    text = page(client, f"{ADDRESS}/tasks/similarity")
    assert "not ranked: 3 of 100 items answered" in text
    assert "The paper leaves out pairs with a word that a model does not know" in text


def test_systems_are_compared_over_all_items_including_omitted_ones(client: Client) -> None:
    duel = json.loads(page(client, f"{ADDRESS}/compare.json?a=some&b=good"))["duels"][0]
    assert (duel["n"], duel["untested"]) == (100, "")
    assert duel["judged"] is not None
    assert json.loads(page(client, f"{ADDRESS}/compare.json?a=three&b=good"))["duels"] == []


def test_reported_score_ranks_only_with_enough_known_coverage(board: Path) -> None:
    from gluepot.board.importing.storage.coverage import UNKNOWN, set_reported_coverage
    from gluepot.board.models import Score
    from gluepot.tasks.declarations import load_suite

    def printed(n: int | None) -> Score:
        row = Score(task="similarity", split="all", metric="spearman", value=0.9, n=n, verified=False)
        set_reported_coverage(load_suite("supersim"), [row])
        return row

    assert (printed(1197).ranked, printed(1197).coverage) == (True, pytest.approx(0.88, abs=1e-3))
    assert (printed(1196).ranked, printed(1196).reason[:30]) == (False, "1,196 of 1,360 items answered "[:30])
    assert (printed(None).ranked, printed(None).reason) == (False, UNKNOWN)


def test_published_scores_all_rank_with_their_coverage(board: Path) -> None:
    from gluepot.board.models import Score

    bring_published()
    rows = Score.objects.filter(entry__suite__name="supersim", split="all", slice="", metric="spearman", verified=False)
    assert rows.count() == 12
    assert {round(1360 * row.coverage) for row in rows} == {1197, 1255, 1297}
    assert all(row.ranked for row in rows)


def test_enormous_predictions_can_be_stored(board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gluepot.board.importing import import_paths
    from gluepot.board.models import Score

    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path / "data"))
    for task in ("similarity", "relatedness"):
        rows = ["Word 1\tWord 2\tAnno 1\tAverage", *(f"ord{n}\tsak{n}\t{gold}\t{gold}" for n, gold in enumerate(GOLD))]
        put(tmp_path / "data" / "supersim" / "data" / f"gold_{task}.tsv", "\n".join(rows))
    submit(tmp_path / "large", [1e308, -1e308, *GOOD[2:]])
    assert import_paths([tmp_path / "large"], "supersim").problems == []
    assert Score.objects.get(task="similarity", metric="pearson", slice="").value < 0.3
    text = page(Client(HTTP_HOST="localhost"), f"{ADDRESS}/tasks/similarity")
    assert "large" in text
