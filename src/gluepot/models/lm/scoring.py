"""Likelihoods of options from one packed pass: what texts have in common is run once, nothing is padded, few logits are made.

The few-shot prefix stays in the key/value cache; behind it, one row holds many questions, each followed by its options.
A mask lets a question see the prefix and itself, an option its question too, and nobody see a neighbour:

    prefix │ question 1 · option a · option b │ question 2 · option a · …
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

BUDGET = 1024
"""Tokens of one pass."""


@dataclass
class Row:
    """A whole text as tokens, and where the part begins whose likelihood is wanted."""

    ids: list[int]
    start: int


@dataclass
class Branch:
    """A question with its options: shared tokens, then what each row has of its own."""

    rows: list[Row]
    shared: int
    """Tokens that all rows begin with."""

    @property
    def common(self) -> list[int]:
        return self.rows[0].ids[: self.shared]

    def size(self, prefix: int) -> int:
        return self.shared - prefix + sum(len(row.ids) - 1 - self.shared for row in self.rows)


def common_length(texts: Sequence[list[int]]) -> int:
    """How many tokens all begin with.

    >>> common_length([[1, 2, 3], [1, 2, 4]])
    2
    """
    first, last = min(texts), max(texts)
    return next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))


def branch(rows: Sequence[Row]) -> Branch:
    """The last token of a text is never put in: nothing is foretold from it."""
    shared = min(common_length([row.ids for row in rows]), *(len(row.ids) - 1 for row in rows))
    return Branch(list(rows), shared)


class Packed:
    """Scores branches after one shared prefix."""

    def __init__(self, model: Any, budget: int = BUDGET) -> None:
        self.model, self.budget = model, budget
        self.prefix: list[int] = []
        self.cache: Any = None
        self.windows = _windows(model.config)

    def score(self, branches: Sequence[Branch]) -> list[list[float]]:
        """Log-likelihoods of every row, in order."""
        import torch

        with torch.inference_mode():
            self._keep(branches)
            found: list[list[float]] = []
            for batch in self._batches(branches):
                found += self._run(batch)
            return found

    def _keep(self, branches: Sequence[Branch]) -> None:
        """Run what all have in common, unless the last call had it in common too."""
        import torch
        from transformers import DynamicCache

        starts = min(min(row.start for row in one.rows) for one in branches)
        length = min(common_length([one.common for one in branches]), starts - 1, *(one.shared for one in branches))
        size = len(self.prefix)
        if self.cache is not None and size <= length and size >= 0.9 * length and branches[0].common[:size] == self.prefix:
            return
        self.prefix, self.cache = branches[0].common[:length], None
        if length:
            self.cache = DynamicCache()
            ids = torch.tensor([self.prefix], device=self.model.device)
            self.model.base_model(input_ids=ids, past_key_values=self.cache, use_cache=True)

    def _batches(self, branches: Sequence[Branch]) -> Iterator[list[Branch]]:
        batch: list[Branch] = []
        size = 0
        for one in branches:
            more = one.size(len(self.prefix))
            if batch and size + more > self.budget:
                yield batch
                batch, size = [], 0
            batch.append(one)
            size += more
        if batch:
            yield batch

    def _run(self, batch: Sequence[Branch]) -> list[list[float]]:
        import torch

        layout = Layout(len(self.prefix))
        for one in batch:
            layout.add(one)
        device = self.model.device
        states = self.model.base_model(
            input_ids=torch.tensor([layout.ids], device=device),
            position_ids=torch.tensor([layout.positions], device=device),
            attention_mask=self._mask(layout),
            past_key_values=self.cache,
            use_cache=self.cache is not None,
        ).last_hidden_state[0]
        if self.cache is not None:
            self.cache.crop(-len(layout.ids))
        places = sorted({place for place, _ in layout.wanted})
        at = {place: number for number, place in enumerate(places)}
        logits = self.model.lm_head(states[torch.tensor(places, device=device)]).float()
        cap = getattr(self.model.config, "final_logit_softcapping", None)
        logits = torch.tanh(logits / cap) * cap if cap else logits
        rows = torch.tensor([at[place] for place, _ in layout.wanted], device=device)
        tokens = torch.tensor([token for _, token in layout.wanted], device=device)
        values = (logits[rows, tokens] - logits.logsumexp(-1)[rows]).tolist()
        sums = [sum(values[start:end]) for start, end in layout.spans]
        ends = iter(sums)
        return [[next(ends) for _ in one.rows] for one in batch]

    def _mask(self, layout: "Layout") -> Any:
        """Who sees whom, as numbers that are added: 0 or as good as minus infinity."""
        import torch

        device, dtype = self.model.device, self.model.dtype
        owner, group = (torch.tensor(numbers, device=device) for numbers in (layout.owners, layout.groups))
        order = torch.arange(len(layout.ids), device=device)
        seen = (group[:, None] == group[None]) & ((owner[None] == -1) | (owner[:, None] == owner[None])) & (order[None] <= order[:, None])
        seen = torch.cat([torch.ones(len(layout.ids), len(self.prefix), dtype=torch.bool, device=device), seen], 1)
        least = torch.finfo(dtype).min
        full = torch.zeros(seen.shape, dtype=dtype, device=device).masked_fill(~seen, least)[None, None]
        if not self.windows:
            return full
        here = torch.tensor(layout.positions, device=device)
        there = torch.cat([torch.arange(len(self.prefix), device=device), here])
        near = here[:, None] - there[None] < self.windows
        return {"full_attention": full, "sliding_attention": full.masked_fill(~near, least)}


class Layout:
    """Where each token of a pass stands and what is wanted of it."""

    def __init__(self, prefix: int) -> None:
        self.prefix = prefix
        self.ids: list[int] = []
        self.positions: list[int] = []
        self.groups: list[int] = []
        """The question a token belongs to."""
        self.owners: list[int] = []
        """The option it belongs to, -1 for the question's own."""
        self.wanted: list[tuple[int, int]] = []
        """A place in the pass, and the token whose likelihood is wanted there."""
        self.spans: list[tuple[int, int]] = []
        self.count = 0

    def add(self, one: Branch) -> None:
        self.count += 1
        base = len(self.ids)
        self._put(one.common[self.prefix :], self.prefix, -1)
        for number, row in enumerate(one.rows):
            own = len(self.ids)
            self._put(row.ids[one.shared : -1], one.shared, number)
            begin = len(self.wanted)
            for token in range(row.start, len(row.ids)):
                before = token - 1
                place = base + before - self.prefix if before < one.shared else own + before - one.shared
                self.wanted.append((place, row.ids[token]))
            self.spans.append((begin, len(self.wanted)))

    def _put(self, ids: Sequence[int], position: int, owner: int) -> None:
        self.ids += ids
        self.positions += range(position, position + len(ids))
        self.groups += [self.count] * len(ids)
        self.owners += [owner] * len(ids)


def _windows(config: Any) -> int | None:
    """How far back some layers look, for models that have such layers."""
    kinds = getattr(config, "layer_types", None) or []
    return int(config.sliding_window) if "sliding_attention" in kinds else None
