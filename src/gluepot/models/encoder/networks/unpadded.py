"""Unpadded BERT-like encoders on CPUs: all but attention sees the real tokens alone, the last layer those that are read."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import MethodType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions

from gluepot.models.pretrained.packed_weights import packed_product

FAMILIES = ("bert", "camembert", "electra", "roberta", "xlm-roberta")
"""Families whose layers have the same parts under the same names."""
SHORT = 96
"""Row length up to which two products and a softmax take less time than torch's tiles of 32 queries: half of it at 43."""


@dataclass
class TokenLayout:
    """Layout of a batch: the tokens that are real, and those of them that are read."""

    mask: Tensor
    """One row per text, 1 where a token is real."""
    read: Tensor
    """Places in the flattened rows."""

    def __post_init__(self) -> None:
        self.rows, self.width = self.mask.shape
        self.read = self.read.unique()
        flat = self.mask.flatten()
        self.real = flat.nonzero()[:, 0]
        self.full = len(self.real) == len(flat)
        self.packed = (flat.cumsum(0) - 1).clamp(min=0)
        """For each place in the rows, the index of its token; arbitrary for padding."""
        self.packed_read = self.packed[self.read]
        self.one_a_row = len(self.read) == self.rows and bool((self.read // self.width == torch.arange(self.rows)).all())
        self.seen = None if self.full else self.mask.bool()[:, None, None]
        self.by_heads: dict[int, HeadLayout] = {}

    def pack(self, states: Tensor) -> Tensor:
        """Concatenate the real tokens of the rows."""
        flat = states.reshape(self.rows * self.width, -1)
        return flat if self.full else _Pick.apply(flat, self.real)

    def heads(self, count: int) -> "HeadLayout":
        if count not in self.by_heads:
            self.by_heads[count] = HeadLayout(self, count)
        return self.by_heads[count]


class HeadLayout:
    """Layout of packed tokens split into heads, in the order row, head, place.

    A part is a few consecutive numbers, so that it is moved as a whole, and products find the parts in the layout that they need.
    """

    def __init__(self, layout: TokenLayout, count: int) -> None:
        rows, width, heads = layout.rows, layout.width, torch.arange(count)
        self.count, self.shape = count, (rows * count, width)
        self.parts = (layout.packed.view(rows, 1, width) * count + heads[:, None]).flatten()
        """For each place of each head, the index among the tokens' parts; arbitrary for padding, which is masked."""
        row, place = layout.real // width, layout.real % width
        self.places = ((row * count * width + place)[:, None] + heads * width).flatten()
        """For each of the tokens' parts, its place among the heads'."""
        hidden = torch.zeros(rows, width).masked_fill(layout.mask == 0, float("-inf"))
        self.hidden = hidden[:, None].expand(rows, count, width).reshape(rows * count, 1, width)
        """Added to the attention scores."""

    def split(self, states: Tensor) -> Tensor:
        """Split packed tokens into one matrix per row and head."""
        found: Tensor = _Split.apply(states, self)
        return found

    def join(self, states: Tensor) -> Tensor:
        """Merge the heads back into packed tokens."""
        found: Tensor = _Pick.apply(states.reshape(-1, states.shape[-1]), self.places)
        return found.view(len(self.places) // self.count, -1)


NOW: ContextVar[TokenLayout | None] = ContextVar("layout", default=None)
"""Layout of the batch that the thread runs."""


class _Pick(torch.autograd.Function):
    """Selection of tokens, none twice."""

    @staticmethod
    def forward(context: Any, states: Tensor, places: Tensor) -> Tensor:
        context.places, context.count = places, len(states)
        return states.index_select(0, places)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return _placed(gradients[0], context.places, context.count), None


class _Split(torch.autograd.Function):
    """Split of tokens into rows and heads; values at padding are arbitrary and pass no gradient."""

    @staticmethod
    def forward(context: Any, states: Tensor, layout: HeadLayout) -> Tensor:
        context.layout, context.shape = layout, states.shape
        parts = states.reshape(len(states) * layout.count, -1)
        return parts.index_select(0, layout.parts).view(*layout.shape, -1)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        parts = gradients[0].reshape(-1, gradients[0].shape[-1])
        return parts.index_select(0, context.layout.places).view(context.shape), None


class _Place(torch.autograd.Function):
    """Tokens at their places among zeros."""

    @staticmethod
    def forward(context: Any, states: Tensor, places: Tensor, count: int) -> Tensor:
        context.places = places
        return _placed(states, places, count)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return gradients[0].index_select(0, context.places), None, None


def _placed(states: Tensor, places: Tensor, count: int) -> Tensor:
    return states.new_zeros(count, states.shape[-1]).index_copy_(0, places, states)


def run_unpadded(model: Any) -> bool:
    """Run a model's encoder as implemented here; return whether the model's family is supported."""
    if model.config.model_type not in FAMILIES or model.config.is_decoder:
        return False
    encoder = model.base_model.encoder
    encoder.forward = MethodType(_encode, encoder)
    return True


@contextmanager
def layout_of(mask: Tensor, read: Tensor) -> Iterator[None]:
    """Within the context, a model that runs unpadded returns meaningful last states only at the places that are read."""
    before = NOW.set(TokenLayout(mask, read))
    try:
        yield
    finally:
        NOW.reset(before)


def _encode(encoder: Any, hidden_states: Tensor, attention_mask: Tensor | None = None, **more: Any) -> Any:
    """Replacement of the encoder's `forward`."""
    layout = NOW.get()
    if layout is None or hidden_states.device.type != "cpu":
        return type(encoder).forward(encoder, hidden_states, attention_mask, **more)
    states = layout.pack(hidden_states)
    for layer in encoder.layer[:-1]:
        mixed = _attend(layer.attention.self, states, states, layout)
        states = _feed(layer, _joined(layer.attention.output, mixed, states))
    last = encoder.layer[-1]
    read = _Pick.apply(states, layout.packed_read)
    if layout.one_a_row:
        own = last.attention.self
        attend = _attend_from_states if type(own.key) is type(own.value) is nn.Linear else _attend
        mixed = attend(own, read, states, layout)
    else:
        mixed = _Pick.apply(_attend(last.attention.self, states, states, layout), layout.packed_read)
    read = _feed(last, _joined(last.attention.output, mixed, read))
    whole = _Place.apply(read, layout.read, layout.rows * layout.width)
    return BaseModelOutputWithPastAndCrossAttentions(last_hidden_state=whole.view(layout.rows, layout.width, -1))


def _attend(own: Any, asking: Tensor, states: Tensor, layout: TokenLayout) -> Tensor:
    """Compute the attention of the querying tokens, all or one per row, to their rows."""
    heads, every = layout.heads(states.shape[-1] // own.attention_head_size), asking is states
    key, value = heads.split(own.key(states)), heads.split(own.value(states))
    query = heads.split(own.query(asking)) if every else own.query(asking).view(heads.shape[0], 1, -1)
    if (own.training and own.dropout.p) or (layout.width <= SHORT and query.dtype == torch.float32):
        scores = torch.baddbmm(heads.hidden, query, key.transpose(1, 2), alpha=own.scaling)
        found = own.dropout(scores.softmax(dim=-1)) @ value
    else:
        query, key, value = (part.view(layout.rows, heads.count, *part.shape[1:]) for part in (query, key, value))
        found = scaled_dot_product_attention(query, key, value, attn_mask=layout.seen, scale=own.scaling)
    return heads.join(found) if every else found.reshape(layout.rows, -1)


def _attend_from_states(own: Any, asking: Tensor, states: Tensor, layout: TokenLayout) -> Tensor:
    """Compute the attention of one token per row without a key and a value of every other token.

    The product of a query with a key equals one with the state that the key is computed from, once the query is multiplied by the key's
    matrix; and a sum of values is the value of a sum.
    """
    size = own.attention_head_size
    everything, heads = layout.heads(1), states.shape[-1] // size
    tokens = everything.split(states)
    query = own.query(asking).view(-1, heads, size)
    sought = (query.transpose(0, 1) @ own.key.weight.view(heads, size, -1)).transpose(0, 1)
    same = (query * own.key.bias.view(heads, size)).sum(dim=-1, keepdim=True) * own.scaling
    weights = torch.baddbmm(everything.hidden + same, sought, tokens.transpose(1, 2), alpha=own.scaling).softmax(dim=-1)
    weights = own.dropout(weights) if own.training else weights
    gathered = (weights @ tokens).transpose(0, 1)
    found = (gathered @ own.value.weight.view(heads, size, -1).transpose(1, 2)).transpose(0, 1)
    return torch.addcmul(found, weights.sum(dim=-1, keepdim=True), own.value.bias.view(heads, size)).reshape(layout.rows, -1)


def _feed(layer: Any, states: Tensor) -> Tensor:
    return _joined(layer.output, layer.intermediate(states), states)


def _joined(output: Any, states: Tensor, before: Tensor) -> Tensor:
    """Finish a half layer: projection, residual and layer norm."""
    packed = None if output.training else packed_product(output.dense)
    if packed and packed.dtype == before.dtype:
        beside = packed.beside(states, before, "add")
    else:
        beside = output.dropout(output.dense(states)) + before
    found: Tensor = output.LayerNorm(beside)
    return found
