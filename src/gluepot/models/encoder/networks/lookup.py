"""Embeddings with gradients only where words occur: torch makes one of the size of the vocabulary, all zeros, for every batch."""

from types import MethodType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding


class GradientTable:
    """The gradient of an embedding table, reused from step to step; only rows that were written are cleared."""

    def __init__(self) -> None:
        self.table: Tensor | None = None
        self.written: list[Tensor] = []

    def add(self, weight: Tensor, rows: Tensor, gradients: Tensor, padding: int | None) -> None:
        """Add the gradients of these rows to the weight's own, except that of padding, as torch does."""
        if weight.grad is None:
            weight.grad = self._cleared(weight)
        distinct, place = rows.unique(return_inverse=True)
        sums: Tensor = torch.ops.aten.embedding_dense_backward(gradients, place, len(distinct), -1, False)
        if padding is not None:
            sums[distinct == padding] = 0
        self.written.append(distinct)
        weight.grad.index_add_(0, distinct, sums)

    def _cleared(self, weight: Tensor) -> Tensor:
        shared = torch.distributed.is_available() and torch.distributed.is_initialized()  # rows of other processes were added to it
        if self.table is None or shared:
            self.table = torch.zeros_like(weight)
        for rows in self.written:
            self.table.index_fill_(0, rows, 0.0)
        self.written = []
        return self.table


class _Lookup(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, weight: Tensor, rows: Tensor, module: Any) -> Tensor:
        context.weight, context.rows, context.module = weight, rows, module
        return embedding(rows, weight.detach())

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[None, None, None]:
        module, trained = context.module, context.module.trained_tokens
        padding = trained.place(module.padding_idx) if trained else module.padding_idx
        module.gradient_table.add(context.weight, context.rows, gradients[0], padding)
        return None, None, None


def look_up_sparsely(module: Any) -> None:
    """Enable this gradient for a plain embedding on a CPU; without its `gradient_table` it learns as torch implements it."""
    if type(module) is nn.Embedding and not (module.sparse or module.scale_grad_by_freq or module.max_norm):
        module.gradient_table, module.trained_tokens = GradientTable(), None
        module.forward = MethodType(_look_up, module)


def _look_up(module: Any, input: Tensor) -> Tensor:  # noqa: A002  the base class calls it so
    weight = module.weight
    if module.trained_tokens:
        input = module.trained_tokens.places[input]  # noqa: A001
    if module.gradient_table and torch.is_grad_enabled() and weight.requires_grad and weight.device.type == "cpu":
        found: Tensor = _Lookup.apply(weight, input, module)
        return found
    return nn.Embedding.forward(module, input)
