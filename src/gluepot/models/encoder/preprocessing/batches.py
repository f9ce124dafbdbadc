"""Batches of rows of similar length, as many as a budget of tokens allows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gluepot.models.encoder.task_formats import EncodedRows, Floats

BUDGET = 1024
"""Tokens of one pass on a CPU, padding included: what a layer computes from them stays in its cache."""
TOLERANCE = 8
"""Tolerance in tokens when searching for the smallest budget."""
POOL, POOLS = 50, 8
"""Batches' worth of items that are sorted by length together, but at most an eighth of the data, or all epochs would be alike."""


@dataclass
class Batch:
    """Some rows as tensors. Outputs of the net are flat; `counts` holds how many belong to each row."""

    rows: list[int]
    ids: Tensor
    mask: Tensor
    types: Tensor
    marks: Tensor
    """Places in the flattened rows."""
    spans: Tensor
    counts: list[int]
    """Number of outputs per row."""
    groups: list[int]
    """Number of outputs per item, where its rows are scored against each other."""
    gold: Tensor | None = None

    def inputs(self, model: Any) -> dict[str, Tensor]:
        """Return the arguments for a transformers model."""
        given = {"input_ids": self.ids, "attention_mask": self.mask}
        if getattr(model.config, "type_vocab_size", 0) > 1:
            given["token_type_ids"] = self.types
        return given


def make_batch(encoded: EncodedRows, rows: Sequence[int], pad: int, device: torch.device, gold: list[Floats] | None = None) -> Batch:
    """Pad rows to the longest among them."""
    sizes = [len(encoded.ids[row]) for row in rows]
    longest = max(sizes)
    ids, types = np.full((len(rows), longest), pad, np.int64), np.zeros((len(rows), longest), np.int64)
    mask = np.zeros((len(rows), longest), np.int64)
    for place, (row, size) in enumerate(zip(rows, sizes, strict=True)):
        ids[place, :size], types[place, :size], mask[place, :size] = encoded.ids[row], encoded.types[row], 1
    marks = [encoded.marks[row] for row in rows]
    flat = np.concatenate([own + place * longest for place, own in enumerate(marks)])
    spans = np.stack(marks) if all(len(own) == 4 for own in marks) else np.zeros((0, 4))
    owners = [encoded.owner[row] for row in rows]
    return Batch(
        rows=list(rows),
        ids=torch.from_numpy(ids).to(device),
        mask=torch.from_numpy(mask).to(device),
        types=torch.from_numpy(types).to(device),
        marks=torch.from_numpy(flat.astype(np.int64)).to(device),
        spans=torch.from_numpy(spans.astype(np.int64)).to(device),
        counts=[len(own) for own in marks],
        groups=_runs(owners),
        gold=None if gold is None else torch.from_numpy(np.concatenate([gold[row] for row in rows])).to(device),
    )


def _runs(owners: Sequence[int]) -> list[int]:
    """Return the lengths of runs of equal owners.

    >>> _runs([3, 3, 5])
    [2, 1]
    """
    edges = np.flatnonzero(np.diff(owners, prepend=-1, append=-1))
    return np.diff(edges).tolist()


def by_budget(units: Sequence[list[int]], encoded: EncodedRows, budget: int) -> list[list[int]]:
    """Group units of rows, longest first, into batches within the budget; a unit that exceeds it forms a batch of its own."""
    sizes = [max(len(encoded.ids[row]) for row in unit) for unit in units]
    batches: list[list[int]] = []
    longest = 0
    for place in sorted(range(len(units)), key=lambda place: -sizes[place]):
        unit = units[place]
        if not batches or (len(batches[-1]) + len(unit)) * longest > budget:
            batches.append([])
            longest = sizes[place]
        batches[-1] += unit
    return batches


def even_batches(units: Sequence[list[int]], encoded: EncodedRows, budget: int, workers: int) -> list[list[int]]:
    """Group units for several workers: as many rounds as the budget needs, with a batch per worker in each, none larger than necessary.

    Thirteen batches keep two workers busy for seven rounds, in one of which one is idle; fourteen smaller ones end earlier.
    """
    batches = by_budget(units, encoded, budget)
    most = -(-len(batches) // workers) * workers
    low, high = budget // 2, budget
    while workers > 1 and high - low > TOLERANCE:
        middle = (low + high) // 2
        smaller = by_budget(units, encoded, middle)
        if len(smaller) <= most:
            batches, high = smaller, middle
        else:
            low = middle
    return batches


def same_length(units: Sequence[list[int]], encoded: EncodedRows, budget: int) -> list[list[int]]:
    """Group units of equal length into batches: none of them is padded for the sake of another."""
    groups: dict[int, list[list[int]]] = {}
    for unit in units:
        groups.setdefault(max(len(encoded.ids[row]) for row in unit), []).append(unit)
    return [batch for own in groups.values() for batch in by_budget(own, encoded, budget)]


def epoch(units: Sequence[list[int]], encoded: EncodedRows, size: int, rng: np.random.Generator) -> Iterator[list[list[int]]]:
    """Yield all units in a new order, `size` at a time, those of similar length together."""
    lengths = np.array([sum(len(encoded.ids[row]) for row in unit) for unit in units])
    order = rng.permutation(len(units))
    together = size * min(POOL, max(1, len(units) // (size * POOLS)))
    batches: list[np.ndarray[Any, Any]] = []
    for start in range(0, len(order), together):
        pool = order[start : start + together]
        pool = pool[np.argsort(-lengths[pool], kind="stable")]
        batches += [pool[begin : begin + size] for begin in range(0, len(pool), size)]
    for place in rng.permutation(len(batches)):
        yield [units[unit] for unit in batches[place]]
