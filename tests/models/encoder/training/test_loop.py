"""Training loop: batches in parts, out-of-memory errors, NaN losses, the schedule, early stopping, several processes."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
import torch

from gluepot.data.examples import load_examples
from gluepot.errors import GluepotError
from gluepot.models import make_adapter, parse_model
from gluepot.models.encoder.execution import devices
from gluepot.models.encoder.execution.devices import NonFiniteLossError
from gluepot.models.encoder.execution.runner import Runner, TrainingSet
from gluepot.models.encoder.preprocessing.batches import by_budget, epoch
from gluepot.models.encoder.task_formats import EncodedRows
from gluepot.models.encoder.training.distributed import run_in_processes
from gluepot.models.encoder.training.loop import TrainingLoop, set_rate, subsample_options
from gluepot.models.precision import PrecisionChoice, rejection_reason
from gluepot.models.precision_probe import get_trial
from gluepot.models.protocols import DivergedTraining, Settings
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket").tasks
Tiny = Callable[[str], str]


def opened(tiny: Tiny, name: str = "stance-sv", **settings: Any) -> tuple[Any, Any]:
    """Return an adapter with a new net, and a training set."""
    adapter: Any = make_adapter(parse_model(f"encoder:{tiny('bert')}", precision="fp32"), 0, Settings(**settings))
    task_format = adapter._task_format(POCKET[name])
    adapter._open(task_format)
    examples = load_examples(POCKET[name], "train")[:12]
    task_format.prepare(examples)
    return adapter, adapter._training_set(task_format, examples)


def without_dropout(net: torch.nn.Module) -> None:
    for module in net.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0


@pytest.mark.parametrize("name", ["stance-sv", "entities-da", "idioms-da", "questions-da"])
def test_gradients_of_parts_add_up_to_those_of_the_batch(name: str, tiny: Tiny) -> None:
    adapter, training_set = opened(tiny, name)
    without_dropout(adapter.runner.net)
    found = []
    for budget in (10**6, 200):
        adapter.runner.budget = budget
        loss = adapter.runner.learn(training_set, training_set.units)
        found.append((loss, [w.grad.clone() for w in adapter.runner.net.parameters() if w.grad is not None]))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-4)
    assert all(torch.allclose(one, other, atol=1e-5) for one, other in zip(found[0][1], found[1][1], strict=True))


def test_batches_are_halved_when_memory_runs_out(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter, training_set = opened(tiny)
    without_dropout(adapter.runner.net)
    whole = adapter.runner.learn(training_set, training_set.units)
    forward = adapter.runner._forward

    def small(batch: Any) -> Any:
        if len(batch.rows) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(batch)

    monkeypatch.setattr(adapter.runner, "_forward", small)
    assert adapter.runner.learn(training_set, training_set.units) == pytest.approx(whole, rel=1e-5)
    assert adapter.runner.halved >= 2
    assert len(adapter.runner.outputs(training_set.encoded)) == 12


def test_single_item_that_does_not_fit_is_an_error(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter, training_set = opened(tiny)

    def never(batch: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(adapter.runner, "_forward", never)
    with pytest.raises(GluepotError, match="single item"):
        adapter.runner.learn(training_set, training_set.units)


def test_nan_loss_is_retried_in_fp32_and_then_reported(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    task = POCKET["stance-sv"]
    train = load_examples(task, "train")[:6]
    precisions: list[str] = []

    def broken(self: TrainingLoop, training_set: Any) -> None:
        precisions.append(self.runner.precision)
        raise NonFiniteLossError

    monkeypatch.setattr(TrainingLoop, "run", broken)
    monkeypatch.setattr("gluepot.models.encoder.adapter.choose", lambda wanted, device: PrecisionChoice("bf16", ""))
    adapter = make_adapter(parse_model(f"encoder:{tiny('bert')}"), 0, Settings(epochs=1))
    with pytest.raises(DivergedTraining, match="diverged"):
        adapter.fit(task, train, [])
    assert precisions == ["bf16", "fp32"]


def test_nan_in_bf16_falls_back_to_the_result_of_fp32(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    task = POCKET["stance-sv"]
    train, items = load_examples(task, "train")[:6], load_examples(task, "test")[:4]
    plain, fallen = (make_adapter(parse_model(f"encoder:{tiny('bert')}", precision=own), 0, Settings(epochs=1)) for own in ("fp32", "bf16"))
    plain.fit(task, train, [])
    forward = Runner._forward
    monkeypatch.setattr(Runner, "_forward", lambda self, batch: forward(self, batch) * (float("nan") if self.precision == "bf16" else 1.0))
    # bf16 may crash the process on this machine
    monkeypatch.setattr("gluepot.models.encoder.execution.runner.autocast_context", lambda device, precision: nullcontext())
    monkeypatch.setattr("gluepot.models.encoder.adapter.choose", lambda wanted, device: PrecisionChoice("bf16", ""))
    fallen.fit(task, train, [])
    assert fallen.trained.precision == "fp32"  # type: ignore[attr-defined]
    assert fallen.predict(task, items) == plain.predict(task, items)


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_half_precision_learns_what_fp32_does(precision: str, tiny: Tiny) -> None:
    """With autocast and, in fp16, a scaled loss; the weights themselves stay in fp32."""
    if why := rejection_reason(get_trial(precision)):
        pytest.skip(f"needs {precision}, which was tried here: {why}")
    losses = []
    for own in ("fp32", precision):
        adapter, training_set = opened(tiny, epochs=4, learning_rate=1e-3)
        adapter._open(adapter.task_format, own)
        without_dropout(adapter.runner.net)
        training_loop = TrainingLoop(adapter.runner, adapter.settings, 0)
        training_loop.run(training_set)
        losses.append([look.train_loss for look in training_loop.looks])
        assert all(weight.dtype == torch.float32 for weight in adapter.runner.net.parameters())
    assert losses[1] == pytest.approx(losses[0], rel=0.02)
    assert losses[1][-1] < losses[1][0]


def test_training_with_little_memory_gives_the_same_losses(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradients of halved batches add up to those of whole ones."""
    found = []
    for little in (False, True):
        adapter, training_set = opened(tiny, epochs=2, batch_size=6, learning_rate=1e-3)
        without_dropout(adapter.runner.net)
        forward = adapter.runner._forward

        def fitting(batch: Any, forward: Any = forward) -> Any:
            if len(batch.rows) > 2:
                raise torch.OutOfMemoryError("CUDA out of memory")
            return forward(batch)

        if little:
            monkeypatch.setattr(adapter.runner, "_forward", fitting)
        training_loop = TrainingLoop(adapter.runner, adapter.settings, 0)
        training_loop.run(training_set)
        found.append((training_loop.learned, [look.train_loss for look in training_loop.looks]))
        assert (adapter.runner.halved > 0) == little
    assert found[0][0] == found[1][0] == 24
    assert found[1][1] == pytest.approx(found[0][1], rel=1e-4)


def test_excessive_learning_rate_is_reported_as_divergence(tiny: Tiny) -> None:
    task = POCKET["paraphrase-sv"]
    adapter = make_adapter(parse_model(f"encoder:{tiny('bert')}"), 0, Settings(epochs=3, batch_size=2, learning_rate=1e30))
    with pytest.raises(DivergedTraining, match="not a number"):
        adapter.fit(task, load_examples(task, "train")[:12], [])


def test_learning_rate_rises_and_falls() -> None:
    class Optimizer:
        param_groups = [{"lr": 0.0}]

    rates = []
    for step in range(10):
        set_rate(Optimizer(), 1.0, 0.2, step, 10)  # type: ignore[arg-type]
        rates.append(Optimizer.param_groups[0]["lr"])
    assert rates[:2] == [0.5, 1.0]
    assert rates[2] == 1.0
    assert rates[-1] == pytest.approx(1 / 8)


def test_training_stops_without_improvement(tiny: Tiny) -> None:
    adapter, training_set = opened(tiny, epochs=9, patience=2)
    values = iter([0.1, 0.5, 0.4, 0.3, 0.2, 0.9])
    training_loop = TrainingLoop(adapter.runner, adapter.settings, 0, lambda: (None, next(values)))
    training_loop.run(training_set)
    assert [look.dev_score for look in training_loop.looks] == [0.1, 0.5, 0.4, 0.3]
    assert training_loop.best == 0.5


def test_every_item_is_in_an_epoch_once() -> None:
    encoded = EncodedRows(ids=[np.zeros(1 + n % 17, np.int32) for n in range(100)], owner=list(range(100)))
    units = [[n] for n in range(100)]
    batches = list(epoch(units, encoded, 8, np.random.default_rng(0)))
    assert sorted(row for batch in batches for unit in batch for row in unit) == list(range(100))
    for rows in by_budget(units, encoded, 64):
        assert len(rows) * max(len(encoded.ids[row]) for row in rows) <= 64


def test_small_data_is_rebatched_every_epoch_and_large_data_is_batched_by_length() -> None:
    def companies(count: int) -> tuple[list[set[frozenset[int]]], float]:
        lengths = np.random.default_rng(1).integers(1, 200, count)
        encoded = EncodedRows(ids=[np.zeros(length, np.int32) for length in lengths], owner=list(range(count)))
        rng = np.random.default_rng(0)
        rounds = [list(epoch([[n] for n in range(count)], encoded, 8, rng)) for _ in range(2)]
        padded = sum(len(units) * max(lengths[unit[0]] for unit in units) for units in rounds[0])
        return [{frozenset(unit[0] for unit in units) for units in batches} for batches in rounds], padded / lengths.sum()

    (first, second), padded = companies(200)
    assert not first & second
    assert companies(20_000)[1] < 1.03 < padded


def test_item_with_many_long_options_is_thinned_but_retains_the_right_one() -> None:
    encoded = EncodedRows(ids=[np.zeros(100, np.int32)] * 40, owner=[0] * 40)
    gold = [np.array([float(row == 7)], np.float32) for row in range(40)]
    training_set = TrainingSet(encoded, gold, [list(range(40))], "one-of-group")
    kept = subsample_options(training_set.units[0], training_set, 1000, np.random.default_rng(0))
    assert len(kept) == 10
    assert 7 in kept
    assert kept == sorted(kept)
    assert subsample_options([3, 7], training_set, 1000, np.random.default_rng(0)) == [3, 7]


def test_a_gpu_is_used_unless_another_device_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLUEPOT_DEVICE", raising=False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert devices.choose_device().type == "cuda"
    monkeypatch.setenv("GLUEPOT_DEVICE", "cpu")
    assert devices.choose_device().type == "cpu"


@pytest.mark.slow
def test_two_processes_learn_what_one_does(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through accelerate, as on two GPUs."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    accelerate = pytest.importorskip("accelerate", reason="needs accelerate: pip install 'gluepot[torch]'")
    states = []
    for several in (False, True):
        adapter, training_set = opened(tiny, epochs=1, batch_size=4, learning_rate=1e-3)
        without_dropout(adapter.runner.net)
        training_loop = TrainingLoop(adapter.runner, adapter.settings, 0)
        if several:
            run_in_processes(training_loop, training_set, lambda work: accelerate.debug_launcher(work, num_processes=2))
        else:
            training_loop.run(training_set)
        assert len(training_loop.looks) == 1
        states.append(adapter.runner.net.state_dict())
    assert all(torch.allclose(states[0][name], states[1][name], atol=1e-4) for name in states[0])
