"""The last layer only where somebody looks: behind its attention a layer works token by token, and most last states are never read."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

BERT_AND_KIN = ("bert", "camembert", "deberta", "deberta-v2", "electra", "roberta", "xlm-roberta")
"""Families whose layers are made alike, and whose head for whole rows reads the first token alone."""
Stretch = tuple[Any, Any]
"""The modules where a stretch of work token by token begins and ends; they may be the same."""


def last_stretch(model: Any) -> Stretch | None:
    """What the last layer does token by token, for the families whose parts are known."""
    body = model.base_model
    if model.config.model_type in BERT_AND_KIN:
        return body.encoder.layer[-1].attention.output, body.encoder.layer[-1].output
    layers = getattr(body, "layers", None)
    feed = getattr(layers[-1], "mlp", None) if layers else None
    return (feed, feed) if hasattr(feed, "down_proj") else None  # Llama and its kin, without those that mix experts


@contextmanager
def only_at(places: Any, stretch: Stretch | None) -> Iterator[None]:
    """Within, only these places, counted over all rows, have last states that mean something."""
    if stretch is None:
        yield
        return
    begin, end = stretch
    shape: list[int] = []

    def narrow(_: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
        shape[:] = given[0].shape[:2]
        return tuple(tensor.flatten(0, 1)[places][None] for tensor in given)

    def widen(_: Any, __: tuple[Any, ...], found: Any) -> Any:
        whole = found.new_zeros((shape[0] * shape[1], found.shape[-1]))
        whole[places] = found[0]
        return whole.view(*shape, -1)

    hooks = [begin.register_forward_pre_hook(narrow), end.register_forward_hook(widen)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
