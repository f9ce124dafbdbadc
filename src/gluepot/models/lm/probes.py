"""Signs that a model has seen a test set. None is proof, each comes with its own caveat."""

from collections.abc import Sequence
from random import Random
from statistics import fmean

from msgspec import Struct

from gluepot.models.lm.generating import Writer, Writing
from gluepot.models.lm.loading import Loaded

LEAST = 0.2
"""The share of a text's tokens, the unlikeliest ones, that Min-K % looks at."""
ORDERS, GROUP = 19, 12
"""Shuffled orders, and items a stretch, in the order test: 19 make 0.05 the smallest p."""
CAVEATS = {
    "min-k": "Mean log-probability of the unlikeliest fifth of tokens: higher than on texts of the same kind that are certainly new "
    "is suspicious; alone it says nothing, for easy texts are likely too.",
    "order": "Whether the published order is likelier than shuffled ones: a small p hints that the file itself was read. "
    "Sorted files have small p without any leak, and a set read in another order has none.",
    "completion": "Share of items whose second half is written word for word after the first: "
    "formulaic texts are completed without having been seen.",
}


class Probe(Struct, frozen=True):
    """One sign, with what it does not mean."""

    name: str
    value: float
    items: int
    caveat: str
    reference: float | None = None
    """The same on training texts, where there are some."""


def token_logs(loaded: Loaded, ids: list[int]) -> list[float]:
    """The log-probability of every token but the first."""
    import torch

    ids = ids[: loaded.longest]
    if len(ids) < 2:
        return []
    with torch.inference_mode():
        logs = loaded.model(input_ids=torch.tensor([ids], device=loaded.model.device)).logits[0, :-1].float().log_softmax(-1)
        return [float(value) for value in logs[range(len(ids) - 1), ids[1:]]]


def min_k(loaded: Loaded, texts: Sequence[str]) -> float:
    """The mean over texts."""
    values = []
    for ids in loaded.encode(list(texts)):
        logs = sorted(token_logs(loaded, ids))
        if logs:
            values.append(fmean(logs[: max(1, round(len(logs) * LEAST))]))
    return fmean(values)


def order_test(loaded: Loaded, texts: Sequence[str], seed: int = 0) -> float:
    """The p of the published order among shuffled ones, by the likelihood of stretches of items."""
    dice = Random(seed)
    groups = [list(texts[start : start + GROUP]) for start in range(0, len(texts), GROUP)]

    def likelihood(parts: Sequence[Sequence[str]]) -> float:
        return sum(sum(token_logs(loaded, ids)) for ids in loaded.encode(["\n".join(part) for part in parts]))

    published = likelihood(groups)
    as_likely = sum(likelihood([dice.sample(part, len(part)) for part in groups]) >= published for _ in range(ORDERS))
    return (1 + as_likely) / (1 + ORDERS)


def completion(loaded: Loaded, texts: Sequence[str], batch: int = 8) -> float:
    """The share of texts that are completed word for word."""
    writer = Writer(loaded)
    halves = []
    for text in texts:
        words = text.split()
        if len(words) >= 6:
            middle = len(words) // 2
            halves.append((" ".join(words[:middle]), " ".join(words[middle:])))
    hits = 0
    for start in range(0, len(halves), batch):
        part = halves[start : start + batch]
        heads, tails = (loaded.encode([half[side] for half in part]) for side in (0, 1))
        writings = [Writing(head, len(tail) + 2) for head, tail in zip(heads, tails, strict=True)]
        writer.run(writings)
        hits += sum(" ".join(one.text.split()).startswith(tail) for one, (_, tail) in zip(writings, part, strict=True))
    return hits / len(halves) if halves else 0.0


def probe(loaded: Loaded, texts: Sequence[str], reference: Sequence[str] = ()) -> list[Probe]:
    """All signs for one task's texts; `reference` are texts of the same kind."""
    known = min_k(loaded, reference) if reference else None
    return [
        Probe("min-k", min_k(loaded, texts), len(texts), CAVEATS["min-k"], known),
        Probe("order", order_test(loaded, texts), len(texts), CAVEATS["order"]),
        Probe("completion", completion(loaded, texts), len(texts), CAVEATS["completion"]),
    ]
