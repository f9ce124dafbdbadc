"""Packed weights of encoders: the same outputs, always from the current weights, and the layers restored afterwards."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.models.encoder.conftest import ARCHITECTURES
from tests.models.encoder.networks.test_nets import opened
from torch import nn

from gluepot.models.pretrained import packed_weights
from gluepot.models.pretrained.packed_weights import PackedProduct, can_pack

pytestmark = pytest.mark.skipif(not can_pack(torch.float32), reason="needs a torch with oneDNN on an x86 processor")
NETS = ("stance-sv", "entities-da", "questions-da")


@pytest.fixture
def pack_few(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Function that has weights packed for any number of tokens, or for none."""
    return lambda always: monkeypatch.setattr(packed_weights, "ENOUGH", 0 if always else 10**9)


def replaced(net: nn.Module) -> list[str]:
    return [name for name, module in net.named_modules() if isinstance(vars(module).get("forward"), PackedProduct)]


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("architecture", [*ARCHITECTURES, "modernbert", "t5"])
def test_packed_weights_give_the_same_outputs(
    architecture: str, name: str, tiny: Callable[[str], str], pack_few: Callable[[bool], None]
) -> None:
    runner, rows, _ = opened(tiny(architecture), name)
    found: list[Any] = []
    for always in (False, True):
        pack_few(always)
        found.append(runner.outputs(rows))
    for one, other in zip(*found, strict=True):
        assert one == pytest.approx(other, abs=1e-5)


def test_linear_layers_and_their_gelu_are_replaced_and_restored_by_the_context(
    tiny: Callable[[str], str], pack_few: Callable[[bool], None]
) -> None:
    runner, _, _ = opened(tiny("bert"), "stance-sv")
    pack_few(True)
    with packed_weights.packed_weights(runner.net, torch.float32, 10, 10):
        within = replaced(runner.net)
    assert {"model.bert.encoder.layer.0.intermediate", "model.bert.encoder.layer.1.attention.self.query", "model.classifier"} < set(within)
    assert "model.bert.encoder.layer.0.intermediate.dense" not in within
    assert replaced(runner.net) == []


def test_failed_pass_restores_the_layers(tiny: Callable[[str], str], pack_few: Callable[[bool], None]) -> None:
    runner, _, _ = opened(tiny("bert"), "stance-sv")
    pack_few(True)
    with pytest.raises(ZeroDivisionError), packed_weights.packed_weights(runner.net, torch.float32, 10, 10):
        raise ZeroDivisionError
    assert replaced(runner.net) == []


def test_changed_weights_are_packed_again(tiny: Callable[[str], str], pack_few: Callable[[bool], None]) -> None:
    runner, rows, _ = opened(tiny("bert"), "stance-sv")
    pack_few(True)
    before = runner.outputs(rows)[0]
    with torch.no_grad():
        runner.net.model.classifier.weight.mul_(2)
        runner.net.model.classifier.bias.mul_(2)
    assert runner.outputs(rows)[0] == pytest.approx(2 * before, rel=1e-4)


def test_weights_are_not_packed_for_few_tokens(tiny: Callable[[str], str]) -> None:
    runner, _, _ = opened(tiny("bert"), "stance-sv")
    with packed_weights.packed_weights(runner.net, torch.float32, packed_weights.ENOUGH - 1, 1024):
        assert replaced(runner.net) == []


def test_unsupported_dtype_is_left_to_torch(tiny: Callable[[str], str], pack_few: Callable[[bool], None]) -> None:
    runner, _, _ = opened(tiny("bert"), "stance-sv")
    pack_few(True)
    with packed_weights.packed_weights(runner.net, torch.float16, 10, 10):
        assert replaced(runner.net) == []


@pytest.mark.skipif(not can_pack(torch.bfloat16), reason="this processor has no products of bf16")
def test_packed_weights_in_bf16_are_as_close_to_fp32_as_autocast(tiny: Callable[[str], str], pack_few: Callable[[bool], None]) -> None:
    runner, rows, _ = opened(tiny("bert"), "stance-sv")
    found: dict[tuple[str, bool], Any] = {}
    for precision, always in (("fp32", False), ("bf16", False), ("bf16", True)):
        pack_few(always)
        runner.precision = precision
        found[precision, always] = runner.outputs(rows)
    for full, usual, packed in zip(*found.values(), strict=True):
        assert packed == pytest.approx(full, abs=2 * float(abs(usual - full).max()) + 2e-3)
