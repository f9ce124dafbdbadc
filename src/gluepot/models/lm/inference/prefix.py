"""Few-shot prefix in the key/value cache: run once, and cropped back to after each pass."""

from collections.abc import Sequence
from typing import Any

from gluepot.models.last_layer import body_of
from gluepot.models.pretrained.devices import input_device

NEAR = 0.9
"""Fraction of a common prefix that must already be cached for the cache to be used as it is."""


def common_length(texts: Sequence[list[int]]) -> int:
    """Return the number of tokens that all texts begin with.

    >>> common_length([[1, 2, 3], [1, 2, 4]])
    2
    """
    first, last = min(texts), max(texts)
    return next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))


class Prefix:
    """The common first tokens of texts, with their key/value cache."""

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
        """Discard everything after the prefix."""
        from transformers import DynamicCache

        if self.ids and self.runs:
            self.cache.crop(len(self.ids) - self.cache.get_seq_length())
        else:
            self.cache = DynamicCache()
