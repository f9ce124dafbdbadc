"""Contract of all models, for encoders of every architecture on every kind of task."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gluepot.data.examples import load_examples
from gluepot.errors import GluepotError
from gluepot.models import CannotSolve, make_adapter, parse_model
from gluepot.models.protocols import Settings
from gluepot.records import Prediction, Task
from gluepot.runs.prediction.resuming import validate_predictions
from gluepot.tasks.declarations import load_suite

from .conftest import ARCHITECTURES

POCKET = load_suite("pocket")
KINDS = [task for task in POCKET.tasks.values() if task.kind not in ("summary", "analogy")]
ONCE = Settings(epochs=1, learning_rate=1e-3)
Tiny = Callable[[str], str]


def answers(place: str, task: Task, settings: Settings = ONCE, seed: int = 0) -> tuple[list[Prediction], list[Prediction]]:
    """Return predictions for the first test items in one batch, and for the same items in small batches from the end."""
    adapter = make_adapter(parse_model(f"encoder:{place}"), seed, settings)
    adapter.fit(task, load_examples(task, "train")[:12], load_examples(task, "dev")[:6])
    items = load_examples(task, "test")[:10]
    turned = items[::-1]
    batches = [adapter.predict(task, turned[start : start + 3]) for start in range(0, len(turned), 3)]
    return validate_predictions(task, items, adapter.predict(task, items)), [p for batch in batches for p in batch][::-1]


def same(one: Prediction, other: Prediction) -> bool:
    if isinstance(one.output, float):
        return one.output == pytest.approx(other.output, abs=1e-4)
    return bool(one.output == other.output)


@pytest.mark.parametrize("task", KINDS, ids=lambda task: task.name)
def test_encoder_predictions_are_valid_reproducible_and_independent_of_the_batch(task: Task, tiny: Tiny) -> None:
    at_once, in_batches = answers(tiny("bert"), task)
    assert [p.id for p in at_once] == [p.id for p in in_batches]
    assert all(same(one, other) for one, other in zip(at_once, in_batches, strict=True))
    again, _ = answers(tiny("bert"), task)
    assert [(p.output, p.scores) for p in again] == [(p.output, p.scores) for p in at_once]


@pytest.mark.parametrize("name", ["stance-sv", "entities-da", "questions-da", "word-sense-sv", "coreference-eu", "idioms-da"])
@pytest.mark.parametrize("architecture", ARCHITECTURES[1:])
def test_every_architecture_has_every_head(architecture: str, name: str, tiny: Tiny) -> None:
    assert len(answers(tiny(architecture), POCKET.tasks[name])[0]) == 10


@pytest.mark.parametrize("name", ["summaries-eu", "analogy-sv"])
def test_unsupported_task_kinds_are_refused(name: str, tiny: Tiny) -> None:
    with pytest.raises(CannotSolve, match=name):
        answers(tiny("bert"), POCKET.tasks[name])


def test_probabilities_are_stored_and_sum_to_one(tiny: Tiny) -> None:
    task = POCKET.tasks["stance-sv"]
    for prediction in answers(tiny("bert"), task)[0]:
        assert prediction.scores is not None
        assert sum(prediction.scores) == pytest.approx(1, abs=1e-5)
        assert task.labels[max(range(3), key=prediction.scores.__getitem__)] == prediction.output


def test_another_seed_gives_other_probabilities(tiny: Tiny) -> None:
    task = POCKET.tasks["stance-sv"]
    one, other = (answers(tiny("bert"), task, seed=seed)[0] for seed in (0, 1))
    assert [p.scores for p in one] != [p.scores for p in other]


def test_an_encoder_learns(tiny: Tiny) -> None:
    """It memorises most training items, as far as their texts fit."""
    task = POCKET.tasks["stance-sv"]
    items = load_examples(task, "train")[:12]
    adapter = make_adapter(parse_model(f"encoder:{tiny('bert')}"), 0, Settings(epochs=40, batch_size=4, learning_rate=5e-3))
    adapter.fit(task, items, items)
    assert sum(p.output == item.target for p, item in zip(adapter.predict(task, items), items, strict=True)) >= 9


def test_saved_model_gives_the_same_predictions(tiny: Tiny, tmp_path: Path) -> None:
    for name in ("paraphrase-sv", "coreference-eu"):
        task = POCKET.tasks[name]
        model, items = parse_model(f"encoder:{tiny('bert')}"), load_examples(task, "test")[:10]
        first = make_adapter(model, 0, ONCE)
        first.fit(task, load_examples(task, "train")[:12], [])
        first.save(tmp_path / name)  # type: ignore[attr-defined]
        second = make_adapter(model, 0, ONCE)
        assert second.load(task, tmp_path / name)  # type: ignore[attr-defined]
        assert second.predict(task, items) == first.predict(task, items)


def test_missing_model_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)  # the library read the variable on import
    task = POCKET.tasks["stance-sv"]
    (tmp_path / "empty").mkdir()
    for place, said in [(str(tmp_path / "none"), "is not there"), (str(tmp_path / "empty"), "config.json"), ("KB/no-such", "no model")]:
        with pytest.raises(GluepotError, match=said):
            answers(place, task)
