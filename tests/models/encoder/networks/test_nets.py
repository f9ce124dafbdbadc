"""Prediction runs the last layer only where a head looks: the same outputs from less work."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.models.encoder.conftest import ARCHITECTURES

from gluepot.data.examples import load_examples
from gluepot.models import make_adapter, parse_model
from gluepot.models.last_layer import BERT_AND_KIN, make_narrow
from gluepot.models.protocols import Settings
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")
TASKS = ("stance-sv", "entities-da", "questions-da", "word-sense-sv", "coreference-eu")
"""One for each net."""


def opened(place: str, name: str) -> tuple[Any, Any]:
    """A runner with a net for the task, and rows to run."""
    adapter: Any = make_adapter(parse_model(f"encoder:{place}"), 0, Settings())
    task = POCKET.tasks[name]
    task_format = adapter._task_format(task)
    adapter._open(task_format)
    return adapter.runner, task_format.encode(adapter.tokenization, load_examples(task, "test")[:10])


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_narrow_last_layer_gives_the_same_outputs(architecture: str, name: str, tiny: Callable[[str], str]) -> None:
    runner, rows = opened(tiny(architecture), name)
    narrow = runner.outputs(rows)
    runner.net.narrows = False
    for one, other in zip(narrow, runner.outputs(rows), strict=True):
        assert one == pytest.approx(other, abs=1e-5)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("architecture", [name for name in ARCHITECTURES if name in BERT_AND_KIN])
def test_the_last_layer_runs_on_fewer_tokens_in_prediction_and_on_all_in_training(
    architecture: str, name: str, tiny: Callable[[str], str]
) -> None:
    runner, rows = opened(tiny(architecture), name)
    tokens: list[int] = []
    last = runner.net.model.base_model.encoder.layer[-1].intermediate
    last.register_forward_hook(lambda _, given, found: tokens.append(found.shape[:2].numel()))
    runner.outputs(rows)
    in_prediction, tokens[:] = sum(tokens), []
    runner.net.train()
    runner._in_parts([[row] for row in range(len(rows))], rows, None, lambda batch: runner.net(batch))
    assert in_prediction < sum(tokens)
    assert sum(tokens) >= sum(map(len, rows.ids))


@pytest.mark.parametrize("name", TASKS)
def test_batches_side_by_side_give_the_same_outputs_as_one_by_one(name: str, tiny: Callable[[str], str]) -> None:
    runner, rows = opened(tiny("bert"), name)
    runner.budget = 100  # many batches
    one_by_one = runner.outputs(rows)
    torch.set_num_threads(3)
    try:
        side_by_side = runner.outputs(rows)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(1)
    for one, other in zip(one_by_one, side_by_side, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_a_model_is_made_narrow_once(tiny: Callable[[str], str]) -> None:
    runner, _ = opened(tiny("bert"), "stance-sv")
    assert make_narrow(runner.net.model)
    assert len(runner.net.model.base_model.encoder.layer[-1].output._forward_hooks) == 1
