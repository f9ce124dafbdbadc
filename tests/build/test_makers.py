"""End-to-end tests of all makers: data checks, evaluation, annotation and display on a board."""

import json
from pathlib import Path
from urllib.request import urlopen

import pytest
from tests.board.serving import import_into, served
from tests.build.inputs import INPUTS

from gluepot.build.maker import MAKERS
from gluepot.cli import main
from gluepot.data.examples import load_examples
from gluepot.records import Task
from gluepot.tasks.declarations import find, load_suite


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Suite with one task per maker."""
    folder = tmp_path_factory.mktemp("makers")
    for name, (write, options) in INPUTS.items():
        (folder / name).mkdir()
        words = ["build", name, *map(str, write(folder / name)), "--to", str(folder / "own" / name), "--license", "CC0-1.0", *options]
        assert main(words) == 0, name
    return folder / "own"


def test_every_maker_has_an_input() -> None:
    assert set(INPUTS) == set(MAKERS)


def test_built_tasks_pass_the_data_checks(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "check", str(suite)]) == 0, capsys.readouterr().out


def test_built_tasks_can_be_annotated_and_contradicted_items_dropped(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from gluepot.people.rounds.asking import answer_form

    monkeypatch.chdir(tmp_path)
    for name in INPUTS:
        assert main(["annotate", "new", f"{suite}/{name}", "--items", "2", "--name", name]) == 0
        items = json.loads((tmp_path / "rounds" / f"{name}.json").read_text("utf-8"))["items"]
        forms = [answer_form(task_of(suite, name), one["inputs"], "wren") for one in items]
        assert all("target" not in one["inputs"] for one in items), name
        assert all(form.choices or form.shape in ("number", "text") for form in forms), name
    rows = load_examples(task_of(suite, "scala"), "test")
    wrong = {rows[0].id, rows[1].id}
    labels = task_of(suite, "scala").labels
    said = {row.id: next(label for label in labels if (label == row.target) != (row.id in wrong)) for row in rows}
    votes = [{"item": item, "rater": rater, "value": value} for item, value in said.items() for rater in "abc"]
    (tmp_path / "votes.jsonl").write_text("".join(json.dumps(vote) + "\n" for vote in votes))
    capsys.readouterr()
    words = ["human", f"{suite}/scala", "votes.jsonl", "--split", "test", "--drop", "agreed.jsonl", "--resamples", "20", "--json"]
    assert main(words) == 0
    assert {one["item"] for one in json.loads(capsys.readouterr().out)["against_label"]} == wrong
    assert len((tmp_path / "agreed.jsonl").read_text("utf-8").splitlines()) == len(rows) - 2


def task_of(suite: Path, name: str) -> Task:
    found = find(f"{suite}/{name}")[1]
    assert found is not None
    return found


MODELS = ("majority", "tfidf-svm")


@pytest.fixture(scope="module")
def runs(suite: Path) -> dict[str, Path]:
    """Runs of each model on the suite."""
    folders = {model: suite.parent / model for model in MODELS}
    for model, folder in folders.items():
        assert main(["evaluate", model, str(suite), "--out", str(folder)]) == 0, model
    return folders


def answered(model: str) -> set[str]:
    """Return the tasks that a model supports: the TF-IDF model reports that it cannot solve analogies."""
    return set(INPUTS) - ({"analogy"} if model == "tfidf-svm" else set())


@pytest.mark.parametrize("model", MODELS)
def test_built_tasks_are_evaluated(suite: Path, runs: dict[str, Path], model: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["evaluate", model, str(suite), "--out", str(runs[model]), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert {score["task"] for score in scores} == answered(model)


def read(address: str) -> str:
    with urlopen(address, timeout=60) as answer:
        return str(answer.read().decode())


@pytest.mark.slow
def test_board_shows_built_tasks_with_their_scores(suite: Path, runs: dict[str, Path], tmp_path: Path) -> None:
    pytest.importorskip("django", reason="needs the extra 'board'")
    import_into(tmp_path / "board", *map(str, runs.values()), "--suites", str(suite))
    with served(tmp_path / "board", GLUEPOT_SUITES=str(suite)) as address:
        told, page = json.loads(read(f"{address}/b/own/0.1.json")), read(f"{address}/b/own/0.1")
        task = read(f"{address}/b/own/0.1/tasks/scala")
    assert {column["name"] for column in told["tasks"]} == set(INPUTS)
    shown = {row["system"]: {name for name, score in row["scores"].items() if score and score["value"] is not None} for row in told["rows"]}
    assert shown == {model: answered(model) for model in MODELS}
    assert all(f">{column['short']}<" in page for column in told["tasks"])
    assert "one word of text" in task  # the artefact report


def test_items_have_ids_groups_and_sources_and_no_group_is_in_two_splits(suite: Path) -> None:
    for task in load_suite(suite.resolve()).tasks.values():
        seen: dict[str, str] = {}
        for split in task.data.files:
            rows = [json.loads(line) for line in (suite / "data" / task.name / f"{split}.jsonl").read_text("utf-8").splitlines()]
            assert len({row["id"] for row in rows}) == len(rows)
            assert all(row["source"] and row["group"] for row in rows)
            assert all(seen.setdefault(row["group"], split) == split for row in rows), task.name


@pytest.mark.parametrize("name", INPUTS)
def test_the_same_input_and_seed_give_the_same_bytes(suite: Path, name: str, tmp_path: Path) -> None:
    write, options = INPUTS[name]
    words = ["build", name, *map(str, write(tmp_path)), "--to", str(tmp_path / "own" / name), "--license", "CC0-1.0", *options]
    assert main(words) == 0
    for path in sorted((suite / "data" / name).glob("*.jsonl")):
        assert path.read_bytes() == (tmp_path / "own" / "data" / name / path.name).read_bytes()


def test_the_list_explains_every_maker_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "--list"]) == 0
    out = capsys.readouterr().out
    assert all(f"{name}: " in out and MAKERS[name].example.splitlines()[0] in out for name in MAKERS)
