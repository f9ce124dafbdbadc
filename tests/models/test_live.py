"""Python functions and adapter objects as models: evaluated in this process, with errors addressed to their author."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gluepot.cli import main
from gluepot.errors import GluepotError, WrongUse
from gluepot.models.live import model_of
from gluepot.records import Example, Prediction, Task
from gluepot.runs.evaluation import RunScores
from gluepot.runs.pipeline import RunRequest, evaluate_model
from gluepot.runs.prediction.execution.executors import LocalExecutor
from gluepot.runs.prediction.plan import make_plan
from gluepot.runs.storage.manifest import read_manifest
from gluepot.runs.storage.store import RunFolder
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")
TASK = POCKET.tasks["stance-sv"]


def evaluated(thing: Any, folder: Path, *tasks: str) -> RunScores:
    model = model_of(thing)
    plan = make_plan(model, POCKET, tasks=tasks or ["stance-sv"])
    return evaluate_model(RunRequest(POCKET, model, plan, RunFolder(folder), resamples=20), LocalExecutor())


def always_first(examples: Sequence[Example]) -> list[str]:
    return [TASK.labels[0] for _ in examples]


class MostFrequent:
    """Majority baseline, as a user would write it."""

    batch = 7

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        targets = [example.target for example in train]
        self.answer = max(targets, key=targets.count)

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        self.sizes.append(len(examples))
        return [Prediction(example.id, self.answer) for example in examples]


def test_function_is_evaluated_in_this_process_without_gold_answers(tmp_path: Path) -> None:
    seen: list[Example] = []

    def answer(examples: Sequence[Example]) -> list[str]:
        seen.extend(examples)
        return always_first(examples)

    scores = evaluated(answer, tmp_path / "run")
    assert len(seen) == 40
    assert {example.target for example in seen} == {None}
    assert scores.one_answer == ["stance-sv"]


def test_the_manifest_names_the_function(tmp_path: Path) -> None:
    assert evaluated(always_first, tmp_path / "run").model == f"function:{__name__}.always_first"
    model = read_manifest(RunFolder(tmp_path / "run")).identity.model
    assert (model.adapter, model.argument) == ("function", f"{__name__}.always_first")


def test_adapter_object_is_fitted_for_every_task_and_gets_batches_of_its_size(tmp_path: Path) -> None:
    made = MostFrequent()
    scores = evaluated(made, tmp_path / "run", "stance-sv", "entailment-ru")
    words = ["evaluate", "majority", "pocket/stance-sv", "pocket/entailment-ru", "--resamples", "20", "--out", str(tmp_path / "own")]
    assert main(words) == 0
    own = RunFolder(tmp_path / "own").read("scores.json", RunScores)
    assert [(row.task, row.metric, row.value) for row in scores.scores] == [(row.task, row.metric, row.value) for row in own.scores]
    assert set(made.sizes) == {7, 40 % 7}


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda examples: always_first(examples)[:-2], r"returned 38 answers to 40 examples of pocket/stance-sv, the first without one: '"),
        (lambda examples: always_first(examples) * 2, "returned 80 answers to 40 examples"),
        (lambda examples: None, "returned None for pocket/stance-sv: return a list"),
        (lambda examples: "positiv", "returned a str for"),
        (lambda examples: {example.id: "x" for example in examples}, "returned a dict for"),
        (lambda examples: ["nonsense" for _ in examples], "pocket/stance-sv, item .*nonsense"),
    ],
)
def test_invalid_return_value_of_a_function_is_reported(function: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(GluepotError, match=said):
        evaluated(function, tmp_path / "run")


def test_generators_and_numpy_numbers_are_accepted(tmp_path: Path) -> None:
    import numpy as np

    scores = evaluated(lambda examples: (np.float64(number % 3) for number, _ in enumerate(examples)), tmp_path / "run", "paraphrase-sv")
    assert scores.scores[0].value is not None


def test_exception_of_a_function_propagates_unchanged(tmp_path: Path) -> None:
    def broken(examples: Sequence[Example]) -> list[str]:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        evaluated(broken, tmp_path / "run")


def test_interrupted_run_resumes_but_not_with_another_model(tmp_path: Path) -> None:
    calls: list[int] = []

    class Stopping(MostFrequent):
        def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
            calls.append(len(examples))
            if len(calls) == 3:
                raise KeyboardInterrupt
            return super().predict(task, examples)

    with pytest.raises(KeyboardInterrupt):
        evaluated(Stopping(), tmp_path / "run")
    evaluated(Stopping(), tmp_path / "run")
    assert calls == [7, 7, 7, 7, 7, 7, 5]
    with pytest.raises(WrongUse, match="this run was made with something else"):
        evaluated(MostFrequent(), tmp_path / "run")


def test_redo_refuses_a_run_of_a_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluated(always_first, tmp_path / "run")
    assert main(["redo", str(tmp_path / "run"), "--trust"]) == 2
    assert "cannot be repeated" in (told := capsys.readouterr().err)
    assert "handed over by a Python program" in told


@pytest.mark.parametrize("thing", [7, MostFrequent, object()])
def test_invalid_model_is_refused_with_the_accepted_types(thing: Any) -> None:
    with pytest.raises(WrongUse, match="is no model: give the name of one, an object with fit and predict, or a function"):
        model_of(thing)


def test_settings_apply_to_named_models_only() -> None:
    assert model_of("lm:x", shots=2).settings == (("shots", 2),)
    with pytest.raises(WrongUse, match="takes no settings"):
        model_of(always_first, shots=2)
