"""Logits from last states as the model computes them, and likelihoods of tokens over one slice of the vocabulary at a time."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from gluepot.errors import GluepotError
from gluepot.models.last_layer import body_of

SLICE = 1024
"""Vocabulary entries whose logits are computed and summed at a time: 500 rows of them stay in the CPU cache, which took 0.6 of the time."""
_packed_slices: "WeakKeyDictionary[Any, list[Any]]" = WeakKeyDictionary()
LOUD = 1000.0
"""Magnitude of the states that reveal what a model does to its logits: bounding those of usual states would hardly show."""


class OutputLayer:
    """A model's last product, with any transformation of the logits after it: Gemma 2 bounds, Granite and Cohere scale them."""

    def __init__(self, model: Any) -> None:
        self.model, self.linear = model, model.get_output_embeddings()
        self.packed: list[Any] = []

    @cached_property
    def plain(self) -> bool:
        """Whether logits are the product alone, tested on the model with its layers bypassed."""
        import torch

        weight = self.linear.weight
        if type(self.linear) is not torch.nn.Linear or weight.is_meta:
            return False
        states = torch.linspace(-LOUD, LOUD, 2 * weight.shape[1], dtype=weight.dtype, device=weight.device).view(2, -1)
        with torch.inference_mode():
            told = self._of_model(states)
            return self._shows_plainly() if told is None else self._are_plain(states, told)

    def _are_plain(self, states: Any, logits: Any) -> bool:
        import torch

        return torch.allclose(self.linear(states).float(), logits, rtol=1e-3, atol=1e-3, equal_nan=True)

    def _shows_plainly(self) -> bool:
        """Test a head that does not call the whole body for states, as OPT's, on a text instead; raise GluepotError if it is not plain."""
        import torch

        ids = torch.arange(min(8, len(self.linear.weight)), device=self.linear.weight.device)[None]
        if self._are_plain(body_of(self.model)(input_ids=ids).last_hidden_state[0], self.model(input_ids=ids).logits[0].float()):
            return True
        raise GluepotError(f"lm: a model of the type {self.model.config.model_type!r} makes its logits in a way that is not known here.")

    def logits(self, states: Any) -> Any:
        """Return the logits in 32 bits."""
        import torch

        if self.packed:
            return torch.cat([product(states) for product in self.packed], -1).float()
        return self.linear(states).float() if self.plain else self._of_model(states)

    def log_likelihoods(self, states: Any, rows: Any, tokens: Any) -> Any:
        """Return the log-likelihoods of tokens, each after one of the states."""
        import torch

        picked, sums = torch.zeros(len(tokens), device=states.device), []
        begin = 0
        for product in self._products(states.device):
            logits = product(states).float()
            end = begin + logits.shape[-1]
            here = ((tokens >= begin) & (tokens < end)).nonzero()[:, 0]
            picked[here] = logits[rows[here], tokens[here] - begin]
            sums.append(logits.logsumexp(-1))
            begin = end
        return picked - torch.stack(sums).logsumexp(0)[rows]

    def pack(self, dtype: Any, tokens: int) -> None:
        """Pack slices of the vocabulary for products with so many tokens on the CPU."""
        from gluepot.models.pretrained.packed_weights import PackedProduct

        if self.plain and self.model not in _packed_slices:
            _packed_slices[self.model] = [PackedProduct(part, dtype, tokens) for part in self._slices()]
        self.packed = _packed_slices.get(self.model, [])

    def _products(self, device: Any) -> list[Callable[[Any], Any]]:
        """Return the callables for the logits, part by part in order; a single one on a GPU or for a model that transforms its logits."""
        if self.packed or not self.plain or device.type != "cpu":
            return self.packed or [self.logits]
        return list(self._slices())

    def _slices(self) -> Iterator[Any]:
        """Yield linear layers of some vocabulary entries each, sharing the weights."""
        from torch.nn import Linear, Parameter

        for begin in range(0, len(self.linear.weight), SLICE):
            part = Linear(1, 1, bias=self.linear.bias is not None, device="meta")
            part.weight = Parameter(self.linear.weight[begin : begin + SLICE], requires_grad=False)
            if self.linear.bias is not None:
                part.bias = Parameter(self.linear.bias[begin : begin + SLICE], requires_grad=False)
            yield part

    def _of_model(self, states: Any) -> Any:
        """Return the model's logits with these as the last states of its layers; None if the head did not call them."""
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        class LastStates(BaseModelOutput):  # type: ignore[misc]
            """Output that returns None for anything else a family reads, such as caches and attentions."""

            def __getattr__(self, name: str) -> None:
                return None

        body, asked = body_of(self.model), []
        before = vars(body).get("forward")

        def tell_states(*given: Any, **more: Any) -> LastStates:
            asked.append(more)
            return LastStates(last_hidden_state=states[None])

        body.forward = tell_states
        try:
            ids = torch.zeros(1, len(states), dtype=torch.long, device=states.device)
            logits = self.model(input_ids=ids, use_cache=False).logits[0].float()
            return logits if asked else None
        finally:
            if before is None:
                del body.forward
            else:
                body.forward = before
