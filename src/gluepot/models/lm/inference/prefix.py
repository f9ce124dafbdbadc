"""The few-shot head in the key/value cache: run once, and cut back to after each pass."""

from collections.abc import Sequence
from typing import Any

from gluepot.models.last_layer import body_of
from gluepot.models.pretrained.devices import input_device

NEAR = 0.9
"""How much of a head that is in common must be kept already for it to be good enough."""


def common_length(texts: Sequence[list[int]]) -> int:
    """How many tokens all begin with.

    >>> common_length([[1, 2, 3], [1, 2, 4]])
    2
    """
    first, last = min(texts), max(texts)
    return next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))


class Prefix:
    """Tokens that texts begin with, and what the model makes of them."""

    def __init__(self, model: Any, *, runs: bool = True) -> None:
        self.model, self.runs = model, runs
        self.ids: list[int] = []
        self.cache: Any = None

    def __len__(self) -> int:
        return len(self.ids)

    def keep(self, ids: list[int]) -> None:
        """Run these tokens, unless nearly all of them have been run already."""
        import torch
        from transformers import DynamicCache

        if self.ids and len(self.ids) >= NEAR * len(ids) and ids[: len(self.ids)] == self.ids:
            return
        self.ids, self.cache = ids, DynamicCache()
        if ids and self.runs:
            tokens = torch.tensor([ids], device=input_device(self.model))
            body_of(self.model)(input_ids=tokens, past_key_values=self.cache, use_cache=True)

    def leave(self) -> None:
        """Forget what came behind."""
        from transformers import DynamicCache

        if self.ids and self.runs:
            self.cache.crop(len(self.ids) - self.cache.get_seq_length())
        else:
            self.cache = DynamicCache()
