"""Training with the embeddings of the tokens that occur: all others have no gradient, but an optimizer would update them at every step.

A vocabulary has 30,000 to 250,000 tokens, half of a small encoder's parameters and two thirds of XLM-R's; little data has some thousands.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

MOST = 0.8
"""Share of occurring tokens from which on a separate table saves nothing."""


class TrainedTokens:
    """Replacement of an embedding's weight by the rows of some tokens, as a parameter for an optimizer."""

    def __init__(self, module: Any, tokens: Tensor) -> None:
        self.module, self.tokens, self.before = module, tokens, module.weight
        self.places = torch.full((len(self.before),), -1)  # a token that should not occur is an error, not another token's vector
        self.places[tokens] = torch.arange(len(tokens))
        self.rows = nn.Parameter(self.before.detach()[tokens])
        self._enter()

    def place(self, token: int | None) -> int | None:
        """Return the current row of a token."""
        return None if token is None or self.places[token] < 0 else int(self.places[token])

    @contextmanager
    def whole_table(self, decay: float) -> Iterator[None]:
        """Within the context, use the whole table, with absent tokens scaled by `decay`; values loaded into it are retained."""
        whole = nn.Parameter(self.before.detach() * decay)
        whole.data[self.tokens] = self.rows.detach()
        self.module.weight, self.module.trained_tokens = whole, None
        try:
            yield
        finally:
            self.rows.data.copy_(whole.detach()[self.tokens])
            self._enter()

    def leave(self, decay: float) -> None:
        """Restore the module's own parameter, with the learned rows."""
        self.before.data.mul_(decay)
        self.before.data[self.tokens] = self.rows.detach()
        self.module.weight, self.module.trained_tokens = self.before, None

    def _enter(self) -> None:
        self.module.weight, self.module.trained_tokens = self.rows, self


def trained_tokens(net: Any, rows: Iterable[Iterable[int]], pad: int) -> TrainedTokens | None:
    """Return the trained tokens of a net with sparse embeddings on a CPU; None if too few tokens are absent from these rows."""
    module = next((part for part in net.modules() if getattr(part, "gradient_table", None)), None)
    if module is None or not module.weight.requires_grad or module.weight.device.type != "cpu":
        return None
    tokens = torch.tensor(sorted({pad, *(token for row in rows for token in row)}))
    return TrainedTokens(module, tokens) if len(tokens) < MOST * len(module.weight) else None
