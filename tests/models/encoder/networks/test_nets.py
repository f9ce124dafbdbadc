"""Skipping padding and last states that no head reads: the same outputs and gradients from less computation."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.models.encoder.conftest import ARCHITECTURES
from torch import nn

from gluepot.data.examples import load_examples
from gluepot.models import make_adapter, parse_model
from gluepot.models.encoder.networks.dropout import replace_dropout
from gluepot.models.encoder.networks.unpadded import FAMILIES
from gluepot.models.encoder.task_formats import EncodedRows
from gluepot.models.last_layer import BERT_AND_KIN, make_narrow
from gluepot.models.protocols import Settings
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")
TASKS = ("stance-sv", "entities-da", "questions-da", "word-sense-sv", "coreference-eu")
"""One task per net."""


def opened(place: str, name: str) -> tuple[Any, Any, Any]:
    """Return a runner with a net for the task, encoded rows, and a training set."""
    adapter: Any = make_adapter(parse_model(f"encoder:{place}", precision="fp32"), 0, Settings())  # equal to the last digits
    task = POCKET.tasks[name]
    task_format = adapter._task_format(task)
    adapter._open(task_format)
    examples = load_examples(task, "test")[:10]
    return adapter.runner, task_format.encode(adapter.tokenization, examples), adapter._training_set(task_format, examples)


def plain(net: Any) -> None:
    """Disable the shortcuts, so that the net computes as in transformers."""
    if net.unpadded:
        net.model.get_input_embeddings().gradient_table = None
    net.narrows = net.unpadded = False


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_skipped_computation_changes_no_output(architecture: str, name: str, tiny: Callable[[str], str]) -> None:
    runner, rows, _ = opened(tiny(architecture), name)
    sparing = runner.outputs(rows)
    plain(runner.net)
    for one, other in zip(sparing, runner.outputs(rows), strict=True):
        assert one == pytest.approx(other, abs=1e-5)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("architecture", [name for name in ARCHITECTURES if name in FAMILIES])
@pytest.mark.parametrize("dropout", [0.0, 1e-9], ids=["without dropout", "by the attention for dropout"])
def test_skipped_computation_changes_no_gradient(architecture: str, name: str, dropout: float, tiny: Callable[[str], str]) -> None:
    runner, _, learned = opened(tiny(architecture), name)
    for module in runner.net.modules():
        if isinstance(module, nn.Dropout):
            module.p = dropout
    found: list[tuple[float, dict[str, Any]]] = []
    for work in (lambda net: None, plain):
        work(runner.net)
        loss = runner.learn(learned, learned.units)
        found.append((loss, {at: weight.grad for at, weight in runner.net.named_parameters() if weight.grad is not None}))
    (loss, sparing), (expected, whole) = found
    assert loss == pytest.approx(expected, rel=1e-5)
    for at, gradient in whole.items():
        assert torch.allclose(sparing.get(at, torch.zeros(())), gradient, atol=1e-6), at


def gradients(runner: Any, learned: Any, draws: int) -> torch.Tensor:
    """Return the gradients, one row per draw of dropout."""
    rows = []
    for _ in range(draws):
        runner.learn(learned, learned.units)
        weights = [weight for weight in runner.net.parameters() if weight.grad is not None]
        rows.append(torch.cat([weight.grad.flatten() for weight in weights]))
    return torch.stack(rows)


def test_over_many_draws_of_dropout_gradients_have_the_mean_and_the_spread_of_transformers(tiny: Callable[[str], str]) -> None:
    runner, _, learned = opened(tiny("bert"), "stance-sv")
    for module in runner.net.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.2
    torch.manual_seed(0)
    draws = 300
    ours = gradients(runner, learned, draws)
    plain(runner.net)
    replace_dropout(runner.net, nn.Dropout)
    theirs = gradients(runner, learned, draws)
    spread = (ours.var(0) + theirs.var(0)) / draws
    known = spread > 1e-20
    assert float(((ours.mean(0) - theirs.mean(0))[known] ** 2 / spread[known]).mean()) == pytest.approx(1, abs=0.5)
    assert float(ours.var(0).sum() / theirs.var(0).sum()) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("architecture", [name for name in ARCHITECTURES if name in BERT_AND_KIN])
def test_layers_run_on_real_tokens_and_the_last_on_those_that_are_read(architecture: str, name: str, tiny: Callable[[str], str]) -> None:
    runner, rows, _ = opened(tiny(architecture), name)
    real, tokens = sum(map(len, rows.ids)), {0: 0, -1: 0}

    def count(layer: int) -> Callable[..., None]:
        return lambda _, given, found: tokens.update({layer: tokens[layer] + found.shape[:-1].numel()})

    for layer in tokens:
        runner.net.model.base_model.encoder.layer[layer].intermediate.register_forward_hook(count(layer))
    runner.outputs(rows)
    assert tokens[-1] < tokens[0]
    assert tokens[0] == real or not runner.net.unpadded
    in_prediction, tokens[0], tokens[-1] = tokens[-1], 0, 0
    runner.net.train()
    runner._in_parts([[row] for row in range(len(rows))], rows, None, lambda batch: runner.net(batch))
    assert (tokens[-1] == in_prediction) == runner.net.unpadded


@pytest.mark.parametrize("name", TASKS)
def test_parallel_batches_give_the_same_outputs_as_sequential_ones(name: str, tiny: Callable[[str], str]) -> None:
    runner, rows, _ = opened(tiny("bert"), name)
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
    runner, *_ = opened(tiny("deberta-v2"), "stance-sv")
    assert make_narrow(runner.net.model)
    assert len(runner.net.model.base_model.encoder.layer[-1].output._forward_hooks) == 1


@pytest.mark.parametrize("name", TASKS)
def test_output_is_independent_of_the_batch_even_for_padding_sensitive_models(name: str, tiny: Callable[[str], str]) -> None:
    runner, rows, _ = opened(tiny("convbert"), name)
    assert runner.net.padding_sensitive
    together = runner.outputs(rows)
    for number, one in enumerate(together):
        alone = EncodedRows(*([getattr(rows, part)[number]] for part in ("ids", "types", "marks", "notes")), [0])
        assert runner.outputs(alone)[0] == pytest.approx(one, abs=1e-5)
    assert not opened(tiny("bert"), name)[0].net.padding_sensitive
