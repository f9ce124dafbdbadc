"""ModernBERT, EuroBERT and the encoder of T5 as tiny random models: every net trains on a few items and predicts."""

from collections.abc import Callable

import pytest
from tests.models.encoder.conftest import configs

from gluepot.data.examples import load_examples
from gluepot.models import make_adapter, parse_model
from gluepot.models.protocols import Settings
from gluepot.runs.prediction.resuming import validate_predictions
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket").tasks
TASKS = ("stance-sv", "entities-da", "questions-da", "word-sense-sv", "coreference-eu")
"""One task per net."""


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("architecture", ["modernbert", "eurobert", "t5"])
def test_architecture_trains_and_predicts(architecture: str, name: str, tiny: Callable[[str], str]) -> None:
    if architecture not in configs():
        pytest.skip(f"this version of transformers has no {architecture}")
    model = parse_model(f"encoder:{tiny(architecture)}", precision="fp32", device="cpu")
    adapter = make_adapter(model, 0, Settings(epochs=1, max_steps=2, batch_size=4))
    adapter.fit(POCKET[name], load_examples(POCKET[name], "train")[:8], load_examples(POCKET[name], "dev")[:4])
    items = load_examples(POCKET[name], "test")[:4]
    assert len(validate_predictions(POCKET[name], items, adapter.predict(POCKET[name], items))) == 4
    assert adapter.trained is not None
    assert len(adapter.trained.looks) >= 1
