"""Last layer computed only where it is read: after its attention a layer works token by token, and most final states are never used."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

BERT_AND_KIN = ("bert", "camembert", "deberta", "deberta-v2", "electra", "roberta", "xlm-roberta")
"""Families whose layers share one structure, and whose head for whole rows reads only the first token."""


@dataclass
class WantedStates:
    """Wanted positions, counted over all rows, and the numbers of rows and columns."""

    places: Any
    shape: tuple[int, ...] = ()


NOW: ContextVar[WantedStates | None] = ContextVar("wanted", default=None)
"""Positions wanted by the thread that runs a model."""


def body_of(model: Any) -> Any:
    """Return a model without its head; some models do not distinguish the two by `base_model`."""
    return model.base_model if model.base_model is not model else getattr(model, "model", model)


def make_narrow(model: Any) -> bool:
    """Restrict the last layer to the wanted positions; return whether the model's family is supported."""
    ends = _token_by_token(model)
    if ends is None:
        return False
    if _narrow not in ends[0]._forward_pre_hooks.values():
        ends[0].register_forward_pre_hook(_narrow)
        ends[1].register_forward_hook(_widen)
    return True


@contextmanager
def only_at(places: Any) -> Iterator[None]:
    """Within the context, compute meaningful last states of a narrowed model at these positions only."""
    before = NOW.set(WantedStates(places))
    try:
        yield
    finally:
        NOW.reset(before)


def _token_by_token(model: Any) -> tuple[Any, Any] | None:
    """Return the first and last module of the last layer's token-wise part; None for unsupported models."""
    body = body_of(model)
    if model.config.model_type in BERT_AND_KIN:
        return body.encoder.layer[-1].attention.output, body.encoder.layer[-1].output
    layers = getattr(body, "layers", None)
    feed = getattr(layers[-1], "mlp", None) if layers else None
    return (feed, feed) if hasattr(feed, "down_proj") else None  # Llama and similar models, except mixtures of experts


def _narrow(module: Any, given: tuple[Any, ...]) -> tuple[Any, ...] | None:
    wanted = NOW.get()
    if wanted is None:
        return None
    wanted.shape, wanted.places = tuple(given[0].shape[:2]), wanted.places.to(given[0].device)
    return tuple(tensor.flatten(0, 1)[wanted.places][None] for tensor in given)


def _widen(module: Any, given: tuple[Any, ...], found: Any) -> Any:
    wanted = NOW.get()
    if wanted is None:
        return None
    rows, columns = wanted.shape
    whole = found.new_zeros((rows * columns, found.shape[-1]))
    whole[wanted.places] = found[0]
    return whole.view(rows, columns, -1)
