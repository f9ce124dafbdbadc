"""The library returns the same results as the command line, field by field, for every form of predictions."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.tasks.own_suite import write_faroe

import gluepot
from gluepot.cli import main
from gluepot.tasks.search_path import BUNDLED

TASK = "pocket/stance-sv"
SAMPLE = BUNDLED / "pocket" / "sample"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    main([*words, "--json"])
    return json.loads(capsys.readouterr().out)


def as_json(record: Any) -> Any:
    return json.loads(msgspec.json.encode(record))


def test_import_is_light() -> None:
    """Heavy libraries, and even NumPy, are imported only on first use."""
    code = "import sys, gluepot; print([name for name in ('numpy', 'msgspec', 'rich', 'scipy', 'gluepot.library') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_every_public_name_exists_and_has_a_docstring() -> None:
    for name in gluepot.__all__:
        assert getattr(gluepot, name).__doc__, name
    assert set(gluepot.__all__) <= set(dir(gluepot))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gluepot.nothing


def test_subpackages_do_not_shadow_functions_of_the_same_name() -> None:
    code = "import gluepot, gluepot.reporting.html.page, gluepot.cli.report; print(callable(gluepot.report), callable(gluepot.suites))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True True\n"


def test_scores_equal_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert as_json(gluepot.score("pocket", SAMPLE)) == printed(capsys, "score", "pocket", str(SAMPLE))


def ways(answers: dict[str, str]) -> dict[str, Any]:
    records = [{"id": key, "prediction": value} for key, value in answers.items()]
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    return {
        "mapping": answers,
        "list": list(answers.values()),
        "generator": iter(answers.values()),
        "records": records,
        "predictions": [gluepot.Prediction(key, value) for key, value in answers.items()],
        "pandas": pandas.DataFrame(records).sample(frac=1, random_state=0),
        "polars": polars.DataFrame(records).reverse(),
    }


@pytest.mark.parametrize("way", ["mapping", "list", "generator", "records", "predictions", "pandas", "polars"])
def test_predictions_in_every_form_have_the_same_scores(way: str) -> None:
    lines = [json.loads(line) for line in (SAMPLE / "stance-sv.jsonl").read_text(encoding="utf-8").splitlines()]
    answers = {line["id"]: line["prediction"] for line in lines}
    by_file = gluepot.score(TASK, SAMPLE / "stance-sv.jsonl")
    given = gluepot.score(TASK, ways(answers)[way])
    assert as_json(given.scores) == as_json(by_file.scores)


def test_a_suites_predictions_are_a_mapping_of_tasks() -> None:
    given = {task: [example.target for example in gluepot.load_examples(f"pocket/{task}")] for task in ("stance-sv", "entities-da")}
    result = gluepot.score("pocket", given)
    assert {row.task: row.value for row in result.scores if row.primary and not row.slice} == {"stance-sv": 1.0, "entities-da": 1.0}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["neutral"] * 3, "3 answers to 40 items"),
        ({"stance-sv-test-001": "neutrl"}, "Did you mean 'neutral'?"),
        ({"nobody": "neutral"}, "no item 'nobody'"),
        (42, "a int is not valid as predictions"),
        ([{"id": "1", "what": "neutral"}], "no prediction beside the id"),
    ],
)
def test_reports_invalid_predictions(given: Any, told: str) -> None:
    with pytest.raises(gluepot.GluepotError) as error:
        gluepot.score(TASK, given)
    assert told in str(error.value)


def test_a_run_and_its_comparison_equal_those_of_the_command(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine, other = (gluepot.evaluate(name, "pocket", tasks=["stance-sv"], out=name) for name in ("tfidf-svm", "majority"))
    theirs = printed(capsys, "evaluate", "tfidf-svm", TASK, "--out", "command")
    assert as_json(mine.scores) == theirs
    assert as_json(gluepot.compare(mine, "majority")) == printed(capsys, "compare", "tfidf-svm", "majority")
    assert as_json(gluepot.open_run("command").scores) == theirs
    assert other.scores.model == "majority"
    assert gluepot.report([mine, other], "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_scoring_a_run_ignores_its_own_files_and_reports_others(here: Path) -> None:
    gluepot.evaluate("majority", TASK, out="run")
    (here / "run" / "odd.txt").touch()
    assert gluepot.score(TASK, "run").notices == ["odd.txt: not a prediction file, ignored"]


def test_a_function_is_a_model_and_sees_no_gold(here: Path) -> None:
    seen: list[Any] = []

    def function(examples: list[gluepot.Example]) -> list[str]:
        seen.extend(example.target for example in examples)
        return ["neutral" for _ in examples]

    run = gluepot.evaluate(function, TASK)
    assert set(seen) == {None}
    assert [row.value for row in run.scores.scores if row.metric == "accuracy"] == [0.35]
    again = gluepot.evaluate(function, TASK)
    assert again.path != run.path, "nobody knows whether a function is still the same"


def test_an_object_is_a_model(here: Path) -> None:
    class Majority:
        def fit(self, task: gluepot.Task, train: list[gluepot.Example], dev: list[gluepot.Example]) -> None:
            self.answer = train[0].target

        def predict(self, task: gluepot.Task, examples: list[gluepot.Example]) -> list[gluepot.Prediction]:
            return [gluepot.Prediction(example.id, self.answer) for example in examples]

    assert gluepot.evaluate(Majority(), TASK).scores.scores[1].value is not None


def test_a_local_suite_is_loaded_evaluated_and_scored(here: Path) -> None:
    faroe = write_faroe(here / "elsewhere")
    suite = gluepot.load_suite(faroe)
    assert [example.target for example in gluepot.load_examples(faroe / "reviews", "test")][:2] == ["bad", "good"]
    run = gluepot.evaluate(lambda examples: ["good"] * len(examples), suite, tasks=["reviews"], jobs=2)
    assert run.predictions("reviews")[0].output == "good"
    assert gluepot.score(suite.tasks["reviews"], ["good"] * 8).scores[0].value == 0.625


@pytest.mark.parametrize("frame", ["to_pandas", "to_polars"])
def test_results_convert_to_data_frames_and_html_tables(here: Path, frame: str) -> None:
    run = gluepot.evaluate("majority", TASK, out="run")
    tables = [
        gluepot.suites(),
        gluepot.load_examples(TASK, "dev"),
        run,
        run.scores,
        gluepot.compare(run, gluepot.evaluate("random", TASK, out="r")),
    ]
    for table in tables:
        assert len(getattr(table, frame)()) == len(table.rows()) > 0
        assert table._repr_html_().startswith("<table>")
    assert "<script>" not in gluepot.score(TASK, ["neutral"] * 40, name="<script>")._repr_html_()


@pytest.mark.slow
def test_the_notebook_runs(here: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    path = Path(__file__).parents[2] / "examples" / "first-steps.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(here)}}).execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs if "data" in output]
    assert sum("text/html" in output["data"] for output in shown) >= 3


PLAIN_SCRIPT = """
import gluepot
print("begins")
run = gluepot.evaluate("majority", "pocket/stance-sv", out="run")
print(len(run.scores.scores))
"""
REGISTERING_SCRIPT = """
import gluepot
from gluepot.data.readers import READERS, read_jsonl

READERS.add("from-this-script", read_jsonl)

if __name__ == "__main__":
    print("begins")
    print(len(gluepot.evaluate("majority", "./faroe", out="run").scores.scores))
"""


def run_script(here: Path, text: str, *, by_name: bool) -> list[str]:
    (here / "plain.py").write_text(text)
    command = [sys.executable, "plain.py"] if by_name else [sys.executable]
    done = subprocess.run(command, input=None if by_name else text, capture_output=True, text=True, cwd=here)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("by_name", [True, False])
def test_a_script_without_a_main_guard_evaluates_a_named_model_and_runs_once(here: Path, by_name: bool) -> None:
    first, number = run_script(here, PLAIN_SCRIPT, by_name=by_name)
    assert first == "begins"
    assert int(number) > 0


def test_workers_know_the_registrations_of_a_script(here: Path) -> None:
    task = write_faroe(here) / "reviews" / "task.toml"
    task.write_text(task.read_text().replace("[data]", '[data]\nreader = "from-this-script"'))
    first, number = run_script(here, REGISTERING_SCRIPT, by_name=True)
    assert first == "begins"
    assert int(number) > 0


@pytest.mark.parametrize("count", [{"jobs": 0}, {"seeds": -1}, {"seeds": 0}, {"limit": 0}, {"resamples": 1}, {"jobs": "two"}])
def test_rejects_invalid_counts_before_anything_is_written(here: Path, count: dict[str, Any]) -> None:
    with pytest.raises(gluepot.errors.WrongUse, match=f"{next(iter(count))}=.*give a whole number from"):
        gluepot.evaluate("majority", TASK, out="run", **count)
    assert list(here.iterdir()) == []


def test_scores_and_comparisons_refuse_too_few_resamples() -> None:
    for call in (lambda: gluepot.score("pocket", SAMPLE, resamples=0), lambda: gluepot.compare(SAMPLE, SAMPLE, resamples=1)):
        with pytest.raises(gluepot.errors.WrongUse, match="resamples="):
            call()
