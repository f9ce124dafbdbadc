"""Training of the embeddings of occurring tokens only, with the result of an optimizer over all of them."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from gluepot.data.examples import load_examples
from gluepot.models import make_adapter, parse_model
from gluepot.models.encoder.networks import vocabulary
from gluepot.models.encoder.training.loop import TrainingLoop
from gluepot.models.protocols import Settings
from gluepot.tasks.declarations import load_suite

TASK = load_suite("pocket").tasks["stance-sv"]
Tiny = Callable[[str], str]


def train(tiny: Tiny, few: int = 4, **settings: Any) -> tuple[Any, TrainingLoop]:
    """Train a net on a few examples, evaluated on others after each epoch."""
    adapter: Any = make_adapter(parse_model(f"encoder:{tiny('bert')}", precision="fp32"), 0, Settings(epochs=3, **settings))
    task_format = adapter._task_format(TASK)
    adapter._open(task_format)
    examples = load_examples(TASK, "train")
    task_format.prepare(examples)
    others = adapter._training_set(task_format, examples[few:])
    loop = TrainingLoop(adapter.runner, adapter.settings, 0, lambda: (adapter.runner.loss(others), None))
    loop.run(adapter._training_set(task_format, examples[:few]))
    return adapter, loop


def test_little_data_leaves_most_tokens_out(tiny: Tiny) -> None:
    _, loop = train(tiny)
    assert loop.tokens is not None
    trained = sum(group["params"][0].shape[0] for group in loop.optimizer.param_groups[:1])
    assert trained == len(loop.tokens.tokens) < len(loop.tokens.before)


@pytest.mark.parametrize("select", ["loss", "last"])
@pytest.mark.parametrize("decay", [0.0, 0.1, 5.0])
def test_result_equals_that_of_training_all_embeddings(select: str, decay: float, tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"weight_decay": decay, "select": select, "learning_rate": 1e-2}
    ours, loop = train(tiny, **settings)
    monkeypatch.setattr(vocabulary, "MOST", 0.0)
    whole, whole_loop = train(tiny, **settings)
    assert loop.tokens
    assert whole_loop.tokens is None
    assert [look.dev_loss for look in loop.looks] == pytest.approx([look.dev_loss for look in whole_loop.looks], rel=1e-5)
    found, expected = ours.runner.net.state_dict(), whole.runner.net.state_dict()
    assert found.keys() == expected.keys()
    for name, weight in expected.items():
        assert torch.allclose(found[name], weight, atol=1e-5), name


def test_token_without_a_trained_row_is_an_error_during_training(tiny: Tiny) -> None:
    adapter, _ = train(tiny)
    net = adapter.runner.net
    trained = vocabulary.trained_tokens(net, [[5, 6]], 0)
    assert trained
    with pytest.raises(IndexError):
        trained.module(torch.tensor([[7]]))
    with trained.whole_table(1.0):
        assert trained.module(torch.tensor([[7]])).shape[-1] == trained.rows.shape[1]
    trained.leave(1.0)
    assert trained.module.weight is trained.before


def test_failed_training_restores_the_full_net(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TrainingLoop, "_step", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    adapter: Any = make_adapter(parse_model(f"encoder:{tiny('bert')}", precision="fp32"), 0, Settings(epochs=1))
    task_format = adapter._task_format(TASK)
    adapter._open(task_format)
    size = sum(weight.numel() for weight in adapter.runner.net.parameters())
    examples = load_examples(TASK, "train")[:4]
    task_format.prepare(examples)
    with pytest.raises(KeyboardInterrupt):
        TrainingLoop(adapter.runner, adapter.settings, 0).run(adapter._training_set(task_format, examples))
    assert sum(weight.numel() for weight in adapter.runner.net.parameters()) == size
