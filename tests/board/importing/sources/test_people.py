"""Human scores on the board: the interval over raters, its sample sizes, and systems' scores on the same items."""

import json
from pathlib import Path

import pytest
from tests.people.test_human import TASK, examples, report_on, votes_on, write_votes

from gluepot.cli import main


@pytest.fixture
def human_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = write_votes(tmp_path / "votes.jsonl", votes_on(examples()[:30], wrong=2, raters=2))
    assert main(["human", TASK, str(path), "--out", "people", "--resamples", "50"]) == 0
    return tmp_path / "people"


def task_page():
    from gluepot.board.models import SuiteVersion
    from gluepot.board.server.setup import board_folder
    from gluepot.board.views.tasks.task import parse_item_query
    from gluepot.board.views.tasks.task import task_page as page

    assert board_folder()
    return page(SuiteVersion.objects.get(name="pocket"), "stance-sv", parse_item_query("split=test"))


def test_human_score_comes_with_system_scores_on_the_same_items(board, make_run, human_run: Path) -> None:
    from gluepot.board.importing import import_paths

    report = import_paths([make_run(), human_run], None)
    assert [(line.system, line.state) for line in report.lines] == [("tfidf-svm", "imported"), ("human", "imported")]
    [people] = task_page().people
    wide = report_on(human_run / "votes.jsonl").scores[0]
    assert (people.items, people.votes, people.raters, people.votes_an_item) == (30, 60, 2, 2.0)
    assert people.value == pytest.approx(wide.value)
    assert people.low == pytest.approx(wide.low_raters, abs=0.03)
    [system] = people.systems
    assert (system.name, system.n) == ("tfidf-svm", 30)
    assert system.value is not None


def test_human_scores_of_several_tasks_share_one_row(board, human_run: Path, tmp_path: Path) -> None:
    from gluepot.board.importing import import_paths
    from gluepot.board.models import Score
    from gluepot.data.examples import load_examples
    from gluepot.tasks.declarations import find

    task = find("pocket/entailment-ru")[1]
    votes = [
        {"item": example.id, "rater": rater, "value": example.target} for example in load_examples(task, "test")[:10] for rater in "ab"
    ]
    path = tmp_path / "more.jsonl"
    path.write_text("\n".join(map(json.dumps, votes)), encoding="utf-8")
    assert main(["human", task.path, str(path), "--out", "more", "--resamples", "50"]) == 0
    report = import_paths([human_run, tmp_path / "more"], None)
    assert [(line.system, line.state) for line in report.lines] == [("human", "imported")] * 2
    assert report.problems == []
    assert set(Score.objects.filter(current=True, slice="").values_list("task", flat=True)) == {"stance-sv", "entailment-ru"}


def test_main_table_shows_items_votes_and_raters_of_the_human_score(board, make_run, human_run: Path) -> None:
    from django.test import Client

    from gluepot.board.importing import import_paths

    import_paths([make_run(), human_run], None)
    client = Client(headers={"host": "localhost"})
    page = client.get("/b/pocket/1?split=test").content.decode()
    row = page.partition("people</a>")[2].partition("</tr>")[0] or page.partition(">human</a>")[2].partition("</tr>")[0]
    assert "items: 30, votes an item: 2.0, raters: 2" in row
    assert "/b/pocket/1/tasks/stance-sv?split=test#people" in row
    [people] = task_page().people
    low, high = (f"{100 * end:.1f}".replace("-", "−") for end in (people.low, people.high))
    assert f"<small>{low}{' … ' if people.low < 0 else '–'}{high}</small>" in row
    record = client.get("/b/pocket/1.json?split=test").json()
    [cell] = [one["scores"]["stance-sv"] for one in record["rows"] if one["role"] == "human"]
    assert cell["people"] == {"items": 30, "votes_an_item": 2.0, "raters": 2}
    csv = client.get("/b/pocket/1.csv?split=test").content.decode()
    assert "items=30 raters=2 votes_an_item=2" in csv
    assert 'id="people"' in client.get("/b/pocket/1/tasks/stance-sv?split=test").content.decode()


def test_main_table_shows_system_scores_on_the_human_items(board, make_run, human_run: Path) -> None:
    from django.test import Client

    from gluepot.board.importing import import_paths

    import_paths([make_run(), human_run], None)
    client = Client(headers={"host": "localhost"})
    [system] = task_page().people[0].systems
    record = client.get("/b/pocket/1.json?split=test").json()
    cells = {row["role"]: row["scores"] for row in record["rows"]}
    assert cells["system"]["stance-sv"]["same_items"] == pytest.approx(system.value)
    assert cells["system"]["stance-sv"]["same_items"] != cells["system"]["stance-sv"]["value"], "thirty of the items"
    assert cells["human"]["stance-sv"]["same_items"] is None
    others = [cell["same_items"] for name, cell in cells["system"].items() if cell and name != "stance-sv"]
    assert others == [None] * len(others), "nobody was asked there"
    page = client.get("/b/pocket/1?split=test").content.decode()
    shown = f"{100 * system.value:.1f}".replace("-", "−")
    assert f"<small class=same>{shown}ʰ</small>" in page.partition("tfidf-svm</a>")[2].partition("</tr>")[0]
    assert "on the items that people were asked" in page
    alone = client.get("/b/pocket/1?split=test&only=stance-sv").content.decode()
    main = {name: alone.partition(f"{name}</a>")[2].partition("<output>")[2].partition("</output>")[0] for name in ("tfidf-svm", "human")}
    assert f"{shown}ʰ" in main["tfidf-svm"], "a telephone shows this column alone"
    assert "n 30 · 75.0 %" in main["human"]
    csv = client.get("/b/pocket/1.csv?split=test").content.decode()
    assert "stance-sv:same_items" in csv


def test_no_second_score_is_shown_where_humans_answered_every_item(
    board, make_run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.test import Client

    from gluepot.board.importing import import_paths

    monkeypatch.chdir(tmp_path)
    path = write_votes(tmp_path / "votes.jsonl", votes_on(examples(), wrong=2, raters=2))
    assert main(["human", TASK, str(path), "--out", "people", "--resamples", "20"]) == 0
    import_paths([make_run(), tmp_path / "people"], None)
    page = Client(headers={"host": "localhost"}).get("/b/pocket/1?split=test").content.decode()
    assert "ʰ" not in page


def test_predictions_that_differ_from_the_votes_are_refused(board, human_run: Path) -> None:
    from gluepot.board.importing import import_paths

    file = human_run / "predictions" / "seed-0" / "stance-sv" / "test.jsonl"
    lines = file.read_text().splitlines()
    first = json.loads(lines[0])
    first["prediction"] = "neutral" if first["prediction"] != "neutral" else "positive"
    file.write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
    report = import_paths([human_run], None)
    assert not report.lines
    assert any("is not that of the votes" in problem.message for problem in report.problems)
