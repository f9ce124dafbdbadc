"""The plug-in of `examples/`, installed beside gluepot into an environment of its own: the whole line with what it brings."""

import json
from pathlib import Path

import pytest
from tests.packaging.environment import ROOT, Environment, build

pytestmark = pytest.mark.slow
EXAMPLE = ROOT / "examples" / "gluepot-faroe"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    wheels = tmp_path_factory.mktemp("dist")
    return Environment(tmp_path_factory.mktemp("plugin"), [build(ROOT, wheels), build(EXAMPLE, wheels)], ["board"])


@pytest.fixture(scope="module")
def runs(installed: Environment) -> list[str]:
    for model in ("word-endings", "majority"):
        installed.gluepot("evaluate", model, "faroe", "--out", f"runs/{model}")
    return ["runs/word-endings", "runs/majority"]


def test_a_plug_in_is_listed_as_ours_are(installed: Environment) -> None:
    assert "faroe 1 (fo): Faroe, 2 tasks" in installed.gluepot("suites").stdout
    assert "word-endings" in installed.gluepot("models").stdout
    shown = installed.gluepot("show", "faroe").stdout
    assert "word-classification" in shown
    assert "lowest-recall" in shown
    assert "48 common Faroese nouns" in installed.gluepot("show", "faroe/gender").stdout
    assert not installed.gluepot("suites", "--json").stderr


def test_the_data_of_a_plug_in_are_read_by_its_reader_and_checked(installed: Environment) -> None:
    assert "0 findings" in installed.gluepot("data", "check", "faroe").stdout


def test_a_plug_ins_model_and_metric_make_a_run(installed: Environment, runs: list[str]) -> None:
    stored = json.loads((installed.work / runs[0] / "scores.json").read_text())
    values = {(score["task"], score["metric"]): score for score in stored["scores"]}
    lowest = values["gender", "lowest-recall"]
    assert lowest["primary"]
    assert 0 < lowest["low"] < lowest["value"] < lowest["high"] < 1
    assert values["gender", "accuracy"]["value"] > lowest["value"]
    assert "5 of 5 scores are the same" in installed.gluepot("redo", runs[0]).stdout


def test_workers_find_what_a_plug_in_brings(installed: Environment, runs: list[str]) -> None:
    installed.gluepot("evaluate", "word-endings", "faroe", "--jobs", "2", "--out", "runs/workers")
    first, second = (json.loads((installed.work / run / "scores.json").read_text())["scores"] for run in (runs[0], "runs/workers"))
    assert [score["value"] for score in first] == [score["value"] for score in second]


def test_a_submission_in_a_plug_ins_own_format_is_scored_and_its_mistakes_are_told(installed: Environment) -> None:
    folder = installed.work / "sent"
    folder.mkdir()
    data = EXAMPLE / "src/gluepot_faroe/suites/faroe/data/gender/test.txt"
    gold = [line.split() for line in data.read_text().splitlines()]
    lines = [json.dumps({"noun": noun, "gender": gender}) for noun, gender in gold]
    (folder / "gender.jsonl").write_text("\n".join(lines))
    scores = json.loads(installed.gluepot("score", "faroe", "sent", "--json").stdout)["scores"]
    assert {score["metric"]: score["value"] for score in scores}["lowest-recall"] == 1
    (folder / "gender.jsonl").write_text(
        "\n".join([json.dumps({"noun": "heimur"}), json.dumps({"noun": "genta", "gender": "x"}), *lines[2:]])
    )
    told = installed.gluepot("score", "faroe", "sent", code=1).stderr
    assert "gender.jsonl:1: the record lacks 'gender'" in told
    assert "'x' is not a label of this task" in told


def test_runs_on_a_plug_ins_suite_are_compared_and_reported(installed: Environment, runs: list[str]) -> None:
    assert "gender" in installed.gluepot("compare", *runs).stdout
    installed.gluepot("report", *runs, "-o", "report.html")
    page = (installed.work / "report.html").read_text()
    assert "lowest-recall" in page
    assert "mynd" in page, "a noun that neither gets right"


def test_a_plug_ins_suite_has_a_board(installed: Environment, runs: list[str], board_place: Path) -> None:
    told = installed.gluepot("board", "import", *runs, "--dir", str(board_place)).stdout
    assert "2 entries imported" in told
    assert "10 scores verified" in told
    installed.gluepot("board", "export", "public", "--dir", str(board_place))
    page = (installed.work / "public/b/faroe/1/index.html").read_text()
    assert "word-endings" in page
    assert "Genders of nouns" in (installed.work / "public/b/faroe/1/tasks/gender/index.html").read_text()


def test_a_plug_ins_protocol_is_known_in_every_suite(installed: Environment) -> None:
    told = installed.gluepot("evaluate", "majority", "pocket", "--protocol", "faroe-shot", code=2).stderr
    assert "no protocol 'faroe-shot'. Did you mean 'faroe-short'?" in told
    code = """
from gluepot.models.protocols import find_protocol
from gluepot.tasks.declarations import find
suite, task = find("pocket/stance-sv")
found = find_protocol("faroe-short", suite, task)
print(found.name, found.runs, len(found.configurations), found.settings.epochs)
"""
    assert installed.run("python", "-c", code).stdout == "faroe-short 3 2 5\n"


def test_a_declaration_may_name_what_a_plug_in_brings_and_mistakes_name_it(installed: Environment) -> None:
    suite = installed.work / "mine"
    source = EXAMPLE / "src/gluepot_faroe/suites/faroe"
    for name in ("suite.toml", "gender/task.toml", "weather/task.toml"):
        (suite / name).parent.mkdir(parents=True, exist_ok=True)
        (suite / name).write_text(
            (source / name).read_text().replace("lowest-recall", "lowest-recal").replace('"gender-list"', '"gender-lists"')
        )
    told = installed.gluepot("show", "./mine", code=2).stderr
    assert told.count("Did you mean 'lowest-recall'?") == 2
    assert told.count("Did you mean 'gender-list'?") == 2, "the reader and the submission format"


@pytest.mark.parametrize("module", ["gluepot_faroe.metrics", "gluepot_faroe.models"])
def test_the_examples_examples_are_true(installed: Environment, module: str) -> None:
    installed.run("python", "-c", f"import doctest, {module} as m; done = doctest.testmod(m); assert done == (0, 1), done")
