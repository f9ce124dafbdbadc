"""Contract of all models: predictions are valid, reproducible and independent of the batch."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from gluepot.data.examples import load_examples
from gluepot.models import CannotSolve, make_adapter, parse_model
from gluepot.records import Prediction, Task
from gluepot.runs.prediction.resuming import validate_predictions
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")
MODELS = ["majority", "random", "random-weighted", "lead", "crf", "tfidf-svm", "tfidf-tree", "tfidf-forest", "tfidf-logistic"]
ITEMS, SHOTS = {"lm": 4, "api": 2}, {"lm": 1, "api": 0}
"""Numbers of test items and shots that suffice for a language model."""
ONLY = {"lead": {"summary"}, "crf": {"token-labelling"}}
NOT = {"summary", "analogy"}
ONE_A_FORM = list({KINDS[task.kind].answer: task for task in POCKET.tasks.values()}.values())
"""One task per answer form, since a server is slow."""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Name of a random language model that runs in this process."""
    for name in ("torch", "transformers", "xgrammar"):
        pytest.importorskip(name, reason=f"{name} is not installed")
    from tests.models.lm.tiny import make_tiny

    return f"lm:{make_tiny(tmp_path_factory.mktemp('tiny'))}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Name of SmolLM2 behind a real server."""
    from tests.models.api.server import INSTALLED, Server

    if not INSTALLED:
        pytest.skip("httpx, SmolLM2 or xllamacpp is not installed")
    server = Server()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLUEPOT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield f"api:smollm2@{server.url}"
    server.kill()


def solves(model: str, task: Task) -> bool:
    if model in ONLY:
        return task.kind in ONLY[model]
    return not (model.startswith("tfidf") and task.kind in NOT)


def answers(model: str, task: Task, seed: int = 0) -> tuple[list[Prediction], list[Prediction]]:
    """Return predictions for the test items in one batch, and for the same items in small batches from the end."""
    adapter = make_adapter(parse_model(model, shots=SHOTS.get(model.partition(":")[0])), seed)
    adapter.fit(task, load_examples(task, "train"), load_examples(task, "dev"))
    items = load_examples(task, "test")[: ITEMS.get(model.partition(":")[0])]
    turned, size = items[::-1], min(7, len(items) - 1)
    batches = [adapter.predict(task, turned[start : start + size]) for start in range(0, len(turned), size)]
    return validate_predictions(task, items, adapter.predict(task, items)), [p for batch in batches for p in batch][::-1]


@pytest.mark.parametrize("task", POCKET.tasks.values(), ids=lambda t: t.name)
@pytest.mark.parametrize("model", MODELS)
def test_a_model_answers_legally_and_whatever_the_batch(model: str, task: Task) -> None:
    if not solves(model, task):
        with pytest.raises(CannotSolve, match=task.name):
            answers(model, task)
        return
    at_once, in_batches = answers(model, task)
    assert [(p.id, p.output) for p in at_once] == [(p.id, p.output) for p in in_batches]
    again, _ = answers(model, task)
    assert [p.output for p in again] == [p.output for p in at_once]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("task", POCKET.tasks.values(), ids=lambda t: t.name)
def test_a_language_model_answers_legally_and_whatever_the_batch(tiny: str, task: Task) -> None:
    test_a_model_answers_legally_and_whatever_the_batch(tiny, task)


@pytest.mark.slow
@pytest.mark.parametrize("task", ONE_A_FORM, ids=lambda t: t.name)
def test_a_served_model_answers_legally_and_whatever_the_batch(served: str, task: Task) -> None:
    assert task.prompt is not None
    brief = replace(task.prompt, max_tokens=min(task.prompt.max_tokens, 24)) if task.kind == "summary" else task.prompt
    test_a_model_answers_legally_and_whatever_the_batch(served, replace(task, prompt=brief))


@pytest.mark.parametrize("model", ["random", "random-weighted"])
def test_another_seed_gives_other_answers(model: str) -> None:
    task = POCKET.tasks["stance-sv"]
    assert [p.output for p in answers(model, task, 1)[0]] != [p.output for p in answers(model, task, 2)[0]]


@pytest.mark.parametrize("model", ["tfidf-svm", "tfidf-logistic"])
@pytest.mark.parametrize(("name", "least"), [("stance-sv", 0.3), ("paraphrase-sv", 0.5), ("entities-da", 0.3)])
def test_tfidf_model_reaches_a_minimum_score(model: str, name: str, least: float) -> None:
    from gluepot.metrics.sample import value_of
    from gluepot.runs.scores.scoring import make_sample

    task = POCKET.tasks[name]
    outputs = [p.output for p in answers(model, task)[0]]
    assert value_of(make_sample(task, task.metrics[0], load_examples(task, "test"), outputs)) >= least


def test_majority_gives_the_mean_and_the_most_frequent_label() -> None:
    task = POCKET.tasks["paraphrase-sv"]
    train = load_examples(task, "train")
    mean = sum(example.target for example in train) / len(train)
    assert {round(p.output, 9) for p in answers("majority", task)[0]} == {round(mean, 9)}
    assert len({p.output for p in answers("majority", POCKET.tasks["stance-sv"])[0]}) == 1


def test_probabilities_sum_to_one() -> None:
    for prediction in answers("tfidf-logistic", POCKET.tasks["stance-sv"])[0]:
        assert prediction.scores is not None
        assert sum(prediction.scores) == pytest.approx(1)
        assert POCKET.tasks["stance-sv"].labels[max(range(3), key=prediction.scores.__getitem__)] == prediction.output
