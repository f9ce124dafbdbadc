"""`gluepot human` on the bundled sample: joining, scoring and reporting of synthetic votes."""

import json
from pathlib import Path

import numpy as np
import pytest

from gluepot.cli import main
from gluepot.data.examples import load_examples
from gluepot.errors import WrongUse
from gluepot.people.human import HumanReport, human_report
from gluepot.records import Example
from gluepot.tasks.declarations import find

TASK = "pocket/stance-sv"


def examples(task: str = TASK, split: str = "test") -> list[Example]:
    found = find(task)[1]
    assert found is not None
    return load_examples(found, split)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change to a temporary folder, as runs are written below the working directory."""
    monkeypatch.chdir(tmp_path)


def write_votes(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


def votes_on(items: list[Example], wrong: int = 3, raters: int = 3) -> list[dict[str, object]]:
    """Return right votes of all raters, except of the first rater on every `wrong`-th item."""
    rows: list[dict[str, object]] = []
    for number, example in enumerate(items):
        for rater in range(raters):
            other = "neutral" if example.target != "neutral" else "positive"
            value = other if number % wrong == 0 and rater == 0 else example.target
            rows.append({"item": example.id, "rater": f"r{rater}", "value": value})
    return rows


def report_on(path: Path, task: str = TASK, **options: object) -> HumanReport:
    suite, found = find(task)
    assert found is not None
    return human_report(suite, found, [path], resamples=100, **options)[0]  # type: ignore[arg-type]


def test_the_majority_of_right_votes_scores_best(tmp_path: Path) -> None:
    items = examples()
    report = report_on(write_votes(tmp_path / "votes.jsonl", votes_on(items)))
    assert (report.items, report.votes, report.raters) == (len(items), 3 * len(items), 3)
    first = report.scores[0]
    assert first.value == 1
    assert first.low is not None
    assert first.low < 1
    assert first.low_raters is not None
    assert first.low_raters <= first.low
    assert report.join.gold_rows_found == len(items)
    assert report.format == "votes.jsonl"


def test_a_shared_tie_is_right_by_half(tmp_path: Path) -> None:
    items = examples()[:4]
    rows = votes_on(items, wrong=2, raters=2)
    shared = report_on(write_votes(tmp_path / "votes.jsonl", rows), ties="share")
    dropped = report_on(tmp_path / "votes.jsonl", ties="drop")
    first = report_on(tmp_path / "votes.jsonl", ties="first")
    values = {name: {score.metric: (score.value, score.n) for score in report.scores}["accuracy"] for name, report in
              (("share", shared), ("drop", dropped), ("first", first))}  # fmt: skip
    assert values == {"share": (0.75, 4), "drop": (1.0, 2), "first": (0.5, 4)}
    assert shared.ties == dropped.ties == first.ties == 2


def test_reports_unknown_items_and_invalid_values(tmp_path: Path) -> None:
    items = examples()
    rows = [*votes_on(items), {"item": "nobody", "rater": "r0", "value": "positive"}, {"item": items[0].id, "rater": "r9", "value": "???"}]
    report = report_on(write_votes(tmp_path / "votes.jsonl", rows))
    assert (report.join.items_without_gold, report.join.votes_without_gold) == (1, 1)
    assert report.unreadable == {"???": 1}
    assert any("'???' (1)" in notice for notice in report.notices)


def test_lists_items_whose_votes_contradict_the_label(tmp_path: Path) -> None:
    items = examples()[:6]
    rows = [{"item": e.id, "rater": r, "value": "neutral"} for e in items for r in "abc"]
    found = report_on(write_votes(tmp_path / "votes.jsonl", rows)).against_label
    assert [one.item for one in found] == [e.id for e in items if e.target != "neutral"]
    assert all(one.votes == {"neutral": 3} and one.gold != "neutral" for one in found)


def test_a_split_is_written_without_the_items_that_votes_contradict(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from gluepot.people.dropping import write_remaining_items

    built = find(TASK)[1]
    assert built is not None
    items = examples()
    rows = [{"item": e.id, "rater": r, "value": "neutral" if n < 12 else e.target} for n, e in enumerate(items) for r in "abc"]
    path = write_votes(tmp_path / "votes.jsonl", rows)
    assert main(["human", TASK, str(path), "--drop", "agreed.jsonl", "--resamples", "20"]) == 0
    told = capfd.readouterr()
    against = [e.id for e in items[:12] if e.target != "neutral"]
    assert f"{len(against)} items whose votes contradict the label" in told.out
    kept = [json.loads(line)["id"] for line in (tmp_path / "agreed.jsonl").read_text().splitlines()]
    assert kept == [e.id for e in items if e.id not in against]
    with pytest.raises(WrongUse, match="is there already"):
        write_remaining_items(built, "test", against, tmp_path / "agreed.jsonl")


def test_reports_a_rater_who_votes_twice(tmp_path: Path) -> None:
    rows = votes_on(examples())
    report = report_on(write_votes(tmp_path / "votes.jsonl", [*rows, rows[0]]))
    assert report.join.same_rater_twice == 1
    assert any("second on the same item" in notice for notice in report.notices)


def test_repeated_votes_measure_raters_and_are_not_counted(tmp_path: Path) -> None:
    items = examples()
    rows = votes_on(items)
    rows += [{"item": item.id, "rater": "r1", "value": "neutral", "kind": "repeat"} for item in items[:3]]
    report = report_on(write_votes(tmp_path / "votes.jsonl", rows))
    assert report.votes == 3 * len(items)
    row = next(row for row in report.rater_table if row.rater == "r1")
    assert row.repeats is not None
    assert row.repeats[1] == 3


def test_numbers_are_scored_by_their_mean(tmp_path: Path) -> None:
    items = examples("pocket/paraphrase-sv")
    rng = np.random.default_rng(1)
    rows = [
        {"item": example.id, "rater": f"r{rater}", "value": float(np.clip(example.target + rng.normal(0, 0.5), 0, 5))}
        for example in items
        for rater in range(4)
    ]
    report = report_on(write_votes(tmp_path / "votes.jsonl", rows), "pocket/paraphrase-sv")
    assert report.scores[0].value is not None
    assert report.scores[0].value > 0.8
    assert {"alpha-interval", "alpha-ordinal"} <= {one.measure for one in report.agreement}


def test_reports_votes_whose_mean_is_the_gold(tmp_path: Path) -> None:
    items = examples("pocket/paraphrase-sv")
    rows = [{"item": e.id, "rater": f"r{d}", "value": e.target + d} for e in items for d in (-0.001, 0.001)]
    report = report_on(write_votes(tmp_path / "votes.jsonl", rows), "pocket/paraphrase-sv")
    assert any("own mean" in notice for notice in report.notices)


def test_json_is_one_document_with_the_documented_fields(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = write_votes(tmp_path / "votes.jsonl", votes_on(examples()))
    assert main(["human", TASK, str(path), "--json", "--resamples", "50"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert {"task", "items", "votes", "raters", "ties", "join", "scores", "agreement", "labels"} <= document.keys()
    assert {"metric", "value", "low", "high", "low_raters", "high_raters"} <= document["scores"][0].keys()
    assert {"measure", "value", "low", "high"} <= document["agreement"][0].keys()


def test_output_fits_in_eighty_columns(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    path = write_votes(tmp_path / "votes.jsonl", votes_on(examples()))
    assert main(["human", TASK, str(path), "--resamples", "50"]) == 0
    out = capfd.readouterr().out
    assert "items + raters" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["human", "pocket", "votes.jsonl"], "votes are for one task"),
        (["human", TASK, "nowhere.tsv"], "no such file"),
    ],
)
def test_reports_wrong_use(arguments: list[str], words: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert words in capfd.readouterr().err


def test_rejects_votes_on_unknown_items(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = write_votes(tmp_path / "votes.jsonl", [{"item": "elsewhere", "rater": "a", "value": "positive"}])
    assert main(["human", TASK, str(path)]) == 2
    assert "no item of the votes is a row" in capfd.readouterr().err


def test_rejects_a_table_without_votes_and_names_its_columns(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "prices.csv").write_text("fruit,price\napple,3\n")
    assert main(["agreement", str(tmp_path / "prices.csv")]) == 1
    assert "it has fruit, price" in capfd.readouterr().err


def test_one_and_zero_are_answers_to_yes_no_questions_only() -> None:
    from msgspec.structs import replace

    from gluepot.people.reading import known_answers

    task = find(TASK)[1]
    assert task is not None
    known = known_answers(replace(task, labels=["true", "false"]))
    assert (known["1"], known["0"], known["no"]) == ("true", "false", "false")
    assert "1" not in known_answers(task)
