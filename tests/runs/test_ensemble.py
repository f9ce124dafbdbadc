"""Ensembles: a run combined with itself is the run, for every adapter; answers without a mean are rejected."""

import json
import sys
from pathlib import Path

import pytest

from gluepot.errors import GluepotError
from gluepot.metrics import INVALID
from gluepot.models import ADAPTERS, parse_model
from gluepot.records import LIKELIHOOD_PER_BYTE, PROBABILITY, Prediction
from gluepot.runs.pipeline import RunRequest, evaluate_model
from gluepot.runs.prediction.execution.executors import InProcessExecutor
from gluepot.runs.prediction.plan import make_plan
from gluepot.runs.storage.store import RunFolder
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")
ONE_A_FORM = list({KINDS[task.kind].answer: task.name for task in POCKET.tasks.values()}.values())
MODELS = ["majority", "random", "random-weighted", "lead", "crf", "tfidf-svm", "tfidf-tree", "tfidf-forest", "tfidf-logistic"]

PROGRAM = """import json, sys
for line in sys.stdin:
    item = json.loads(line)
    size = len(line)
    print(json.dumps({"id": item["id"], "prediction": item["labels"][size % 3] if item.get("labels") else size % 5}))
"""
"""Answers with any label, or a number on the scale, chosen by the length of the line."""

pytestmark = pytest.mark.usefixtures("own_cache")


def answers(model: str, tasks: list[str], folder: Path, limit: int | None = None, **settings: str | int) -> dict[str, list[Prediction]]:
    name = parse_model(model, **settings)
    plan = make_plan(name, POCKET, tasks=tasks, limit=limit)
    evaluate_model(RunRequest(POCKET, name, plan, RunFolder(folder), resamples=10), InProcessExecutor())
    run = RunFolder(folder)
    return {task: run.predictions(task, "test", 0).read() for task in tasks if run.predictions(task, "test", 0).exists()}


@pytest.mark.parametrize("model", MODELS)
def test_an_ensemble_of_a_run_with_itself_is_the_run(model: str, tmp_path: Path) -> None:
    alone = answers(model, ONE_A_FORM, tmp_path / "run", 20)
    kept = [task for task in alone if all(one.scores is not None or answers_are_numbers(task) for one in alone[task])]
    if not kept:
        with pytest.raises(GluepotError, match="kept no probabilities"):
            answers(f"ensemble:{tmp_path / 'run'}", list(alone), tmp_path / "joined", 20)
        return
    joined = answers(f"ensemble:{','.join([str(tmp_path / 'run')] * 3)}", list(alone), tmp_path / "joined", 20)
    assert {task: [one.output for one in joined[task]] for task in joined} == {task: [one.output for one in alone[task]] for task in kept}


@pytest.mark.parametrize("adapter", ["vectors", "command", "predictions", "ensemble"])
def test_an_ensemble_of_a_run_from_files_or_programs_with_itself_is_the_run(adapter: str, tmp_path: Path) -> None:
    (tmp_path / "own.vec").write_text("3 2\nen 1.0 0.5\noch 0.5 1.0\nbra 0.2 0.1\n")
    (tmp_path / "own.py").write_text(PROGRAM)
    tasks = ["stance-sv", "paraphrase-sv"]
    answers("tfidf-logistic", tasks, tmp_path / "first")
    places = {"vectors": tmp_path / "own.vec", "command": f"{sys.executable} {tmp_path / 'own.py'}"}
    alone = answers(f"{adapter}:{places.get(adapter, tmp_path / 'first')}", tasks, tmp_path / "run")
    kept = {task: own for task, own in alone.items() if answers_are_numbers(task) or all(one.scores is not None for one in own)}
    for task in alone.keys() - kept.keys():  # a program returns answers without scores, so only numbers have a mean
        with pytest.raises(GluepotError, match="kept no probabilities"):
            answers(f"ensemble:{tmp_path / 'run'}", [task], tmp_path / "refused")
    joined = answers(f"ensemble:{tmp_path / 'run'},{tmp_path / 'run'}", list(kept), tmp_path / "joined")
    assert {task: [one.output for one in joined[task]] for task in joined} == {task: [one.output for one in kept[task]] for task in kept}
    assert "paraphrase-sv" in kept


def test_every_adapter_is_tested_or_exempt() -> None:
    """Containers and live objects share the contract of a program, vLLM and servers that of a language model."""
    tried = {*MODELS, "vectors", "command", "predictions", "ensemble", "lm", "encoder"}
    assert set(ADAPTERS) - tried <= {"container", "function", "object", "vllm", "api"}


def answers_are_numbers(task: str) -> bool:
    return KINDS[POCKET.tasks[task].kind].answer.by_distance


@pytest.mark.slow
def test_ensembles_of_language_models_and_encoders_reject_mixed_measures(tmp_path: Path, model: str) -> None:
    from tests.models.lm.tiny import make_tiny

    tasks = ["cloze-ru", "stance-sv"]
    lm = f"lm:{make_tiny(tmp_path / 'lm')}"
    kept = answers(lm, tasks, tmp_path / "a", 12, shots=1, form="base")
    assert {one.measure for one in kept["cloze-ru"]} == {LIKELIHOOD_PER_BYTE}
    assert {one.measure for one in kept["stance-sv"]} == {PROBABILITY}
    lines = (tmp_path / "a" / "predictions" / "seed-0" / "cloze-ru" / "test.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["measure"] == LIKELIHOOD_PER_BYTE
    joined = answers(f"ensemble:{tmp_path / 'a'},{tmp_path / 'a'}", tasks, tmp_path / "aa", 12)
    assert {t: [p.output for p in ps] for t, ps in joined.items()} == {t: [p.output for p in ps] for t, ps in kept.items()}
    encoder = answers(model, tasks, tmp_path / "b", 12)
    again = answers(f"ensemble:{tmp_path / 'b'},{tmp_path / 'b'}", tasks, tmp_path / "bb", 12)
    assert {t: [p.output for p in ps] for t, ps in again.items()} == {t: [p.output for p in ps] for t, ps in encoder.items()}
    with pytest.raises(GluepotError, match="log-likelihood-per-byte and probability have no mean"):
        answers(f"ensemble:{tmp_path / 'a'},{tmp_path / 'b'}", ["cloze-ru"], tmp_path / "ab", 12)
    unsaid = [{name: value for name, value in json.loads(line).items() if name != "measure"} for line in lines]
    path = tmp_path / "a" / "predictions" / "seed-0" / "cloze-ru" / "test.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in unsaid))
    with pytest.raises(GluepotError, match=r"that are no probabilities.*evaluate again"):
        answers(f"ensemble:{tmp_path / 'a'}", ["cloze-ru"], tmp_path / "aaa", 12)


@pytest.mark.parametrize("members", [1, 2])
def test_unreadable_numbers_are_ignored_beside_valid_ones(members: int, tmp_path: Path) -> None:
    """A language model may write no number: such an answer stays invalid by itself, and is ignored beside a valid one."""
    alone = answers("majority", ["paraphrase-sv"], tmp_path / "run", 4)["paraphrase-sv"]
    path = tmp_path / "run" / "predictions" / "seed-0" / "paraphrase-sv" / "test.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0] |= {"prediction": INVALID, "said": {"way": "text", "text": "vet inte", "read": False}}
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    runs = [tmp_path / "run"]
    if members == 2:
        answers("majority", ["paraphrase-sv"], tmp_path / "other", 4)
        runs.append(tmp_path / "other")
    joined = answers(f"ensemble:{','.join(map(str, runs))}", ["paraphrase-sv"], tmp_path / "joined", 4)["paraphrase-sv"]
    assert [one.output for one in joined[1:]] == [one.output for one in alone[1:]]
    assert joined[0].output == (INVALID if members == 1 else alone[0].output)
    assert joined[0].said is not None
    assert joined[0].said.read == (members == 2)
