"""Gradients of embeddings equal torch's at every step, without a new table of zeros for each."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from gluepot.models.encoder.networks.lookup import look_up_sparsely

WORDS, WIDTH, PADDING = 50, 8, 0


def pair() -> tuple[Any, Any]:
    """Return torch's embedding and one with the sparse lookup, with equal weights."""
    torch.manual_seed(1)
    own = nn.Embedding(WORDS, WIDTH, padding_idx=PADDING)
    ours = nn.Embedding(WORDS, WIDTH, padding_idx=PADDING)
    ours.load_state_dict(own.state_dict())
    look_up_sparsely(ours)
    return own, ours


def batches(count: int) -> Iterator[Tensor]:
    """Yield rows of word ids, with repetitions and padding."""
    torch.manual_seed(2)
    for _ in range(count):
        yield torch.cat([torch.randint(0, WORDS, (3, 7)), torch.full((3, 1), PADDING)], dim=1)


def learn(table: Any, words: Tensor) -> None:
    (table(words) ** 3).sum().backward()


@pytest.mark.parametrize("parts", [1, 3], ids=["one part a step", "three parts a step"])
def test_gradients_and_learned_weights_equal_those_of_torch(parts: int) -> None:
    tables = pair()
    steps = [torch.optim.AdamW(table.parameters(), lr=0.1) for table in tables]
    given = list(batches(4 * parts))
    for number in range(4):
        for table, step in zip(tables, steps, strict=True):
            table.zero_grad(set_to_none=True)
            for words in given[parts * number : parts * (number + 1)]:
                learn(table, words)
            step.step()
        assert torch.allclose(tables[1].weight.grad, tables[0].weight.grad, atol=1e-6)
    assert torch.allclose(tables[1].weight, tables[0].weight, atol=1e-6)


def test_abandoned_step_leaves_no_gradient() -> None:
    own, ours = pair()
    first, second = batches(2)
    learn(ours, first)
    for table in (own, ours):
        table.zero_grad(set_to_none=True)
        learn(table, second)
    assert torch.allclose(ours.weight.grad, own.weight.grad, atol=1e-6)


def test_one_gradient_table_is_allocated_for_all_steps() -> None:
    _, ours = pair()
    places = set()
    for words in batches(3):
        ours.zero_grad(set_to_none=True)
        learn(ours, words)
        places.add(ours.weight.grad.data_ptr())
    assert len(places) == 1


def test_frozen_embeddings_require_no_gradient() -> None:
    _, ours = pair()
    ours.weight.requires_grad_(False)
    assert not ours(torch.tensor([1, 2])).requires_grad


def test_other_types_of_embeddings_are_unchanged() -> None:
    class Scaled(nn.Embedding):
        def forward(self, input: Tensor) -> Tensor:  # noqa: A002
            return super().forward(input) * 2

    for table in (Scaled(3, 2), nn.Embedding(3, 2, sparse=True), nn.Embedding(3, 2, max_norm=1.0)):
        look_up_sparsely(table)
        assert "forward" not in vars(table)
