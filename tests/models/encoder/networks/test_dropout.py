"""Dropout from random bits: torch's rate, reproducible by seed, with gradients for retained values only."""

import pytest
import torch
from torch import nn

from gluepot.models.encoder.networks.dropout import FastDropout, replace_dropout


@pytest.mark.parametrize("share", [0.05, 0.1, 0.5, 0.9])
def test_rate_and_scaling_equal_those_of_dropout(share: float) -> None:
    torch.manual_seed(1)
    found = FastDropout(share)(torch.ones(1000, 1001))
    error = (share * (1 - share) / found.numel()) ** 0.5
    assert float((found == 0).float().mean()) == pytest.approx(share, abs=5 * error)
    assert found.unique().tolist() == [0.0, pytest.approx(1 / (1 - share))]


def test_neighbours_are_dropped_independently() -> None:
    torch.manual_seed(2)
    gone = (FastDropout(0.1)(torch.ones(400_000)) == 0).float()
    for distance in (1, 2, 3, 4):  # masks from one random number, and from the next
        assert abs(float(torch.corrcoef(torch.stack([gone[:-distance], gone[distance:]]))[0, 1])) < 0.01


def test_only_retained_values_get_a_gradient() -> None:
    states = torch.ones(50, 7, requires_grad=True)
    found = FastDropout(0.3)(states)
    found.sum().backward()
    assert states.grad is not None
    assert torch.equal(states.grad, found.detach())


def test_seed_determines_the_mask() -> None:
    module, found = FastDropout(0.2), []
    for seed in (3, 3, 4):
        torch.manual_seed(seed)
        found.append(module(torch.ones(999)))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_rates_zero_and_one_drop_nothing_and_everything(share: float) -> None:
    assert FastDropout(share)(torch.ones(9)).tolist() == [1 - share] * 9


def test_evaluation_mode_drops_nothing() -> None:
    states = torch.ones(9)
    assert FastDropout(0.5).eval()(states) is states


def test_all_dropout_of_a_net_is_replaced_and_restored() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.1), nn.Sequential(nn.Dropout(0.2)))
    replace_dropout(net)
    assert [(type(module), module.p) for module in net.modules() if isinstance(module, nn.Dropout)] == [
        (FastDropout, 0.1),
        (FastDropout, 0.2),
    ]
    replace_dropout(net, nn.Dropout)
    assert not any(isinstance(module, FastDropout) for module in net.modules())
