"""Contamination probes: signs that a model has seen a test set. None is proof, and each has a caveat of its own."""

from collections.abc import Sequence
from random import Random
from statistics import fmean

from msgspec import Struct

from gluepot.models.last_layer import body_of
from gluepot.models.lm.inference.generation import GenerationState, TextGenerator
from gluepot.models.lm.inference.packing import Passes
from gluepot.models.lm.loading.weights import LoadedModel

LEAST = 0.2
"""Fraction of a text's tokens, the unlikeliest ones, used by Min-K %."""
ORDERS, GROUP = 19, 12
"""Shuffled orders, and items per stretch, in the order test: 19 make 0.05 the smallest p."""
FEWEST = 3
"""Minimum number of texts with orders worth comparing."""
WORDS = 6
"""Minimum number of words of a text that can be halved."""
SEAM = 4
"""Maximum number of tokens that a line break between two texts may cost."""
CHUNK = 256
"""Tokens whose logits are computed at a time: those of a long text take gigabytes with a large vocabulary."""
CAVEATS = {
    "min-k": "Mean log-probability of the unlikeliest fifth of tokens: higher than on texts of the same kind that are certainly new "
    "is suspicious; alone it says nothing, for easy texts are likely too, and training texts may have been read as well.",
    "order": "Whether the published order is likelier than shuffled ones: a small p hints that the file itself was read. "
    "Sorted files have small p without any leak, and a set read in another order has none.",
    "completion": "Share of items whose second half is written word for word after the first: "
    "formulaic texts are completed without having been seen.",
}
LACKING = {
    "min-k": "no text has two tokens",
    "order": f"fewer than {FEWEST} different texts stand in a stretch that the model can take in",
    "completion": f"no text has {WORDS} words",
}


class ContaminationSign(Struct, frozen=True):
    """A contamination sign with its caveat."""

    name: str
    value: float | None
    items: int
    """Number of texts that the value is based on."""
    caveat: str
    reference: float | None = None
    """The same value on training texts, where there are some."""
    reason: str | None = None
    """Reason why there is no value."""


def token_logs(loaded: LoadedModel, ids: list[int]) -> list[float]:
    """Return the log-probability of every token but the first."""
    import torch

    ids, passes = ids[: loaded.longest], Passes(loaded.model)
    found: list[float] = []
    if len(ids) < 2:
        return found
    with torch.inference_mode():
        states = body_of(loaded.model)(input_ids=torch.tensor([ids[:-1]], device=passes.device)).last_hidden_state[0]
        wanted = torch.tensor(ids[1:], device=states.device)
        for some, tokens in zip(states.split(CHUNK), wanted.split(CHUNK), strict=True):
            found += passes.output.logits(some).log_softmax(-1).gather(1, tokens[:, None])[:, 0].tolist()
    return found


def min_k(loaded: LoadedModel, texts: Sequence[str]) -> tuple[float | None, int]:
    """Return the mean over texts, and the number of texts."""
    values = []
    for ids in loaded.encode(list(texts)):
        logs = sorted(token_logs(loaded, ids))
        if logs:
            values.append(fmean(logs[: max(1, round(len(logs) * LEAST))]))
    return fmean(values) if values else None, len(values)


def order_test(loaded: LoadedModel, texts: Sequence[str], seed: int = 0) -> tuple[float | None, int]:
    """Return the p-value of the published order among shuffled ones, by the likelihood of stretches of items, and the number of items."""
    dice = Random(seed)
    groups = [part for part in stretches(loaded, texts) if len(part) >= FEWEST]
    if not groups:
        return None, 0

    def likelihood(parts: Sequence[Sequence[str]]) -> float:
        return sum(sum(token_logs(loaded, ids)) for ids in loaded.encode(["\n".join(part) for part in parts]))

    published = likelihood(groups)
    as_likely = sum(likelihood([dice.sample(part, len(part)) for part in groups]) >= published for _ in range(ORDERS))
    return (1 + as_likely) / (1 + ORDERS), sum(map(len, groups))


def stretches(loaded: LoadedModel, texts: Sequence[str]) -> list[list[str]]:
    """Group neighbours in the file, as many as fit into the model's context: truncation would change the text in every order."""
    groups: list[list[str]] = []
    room = 0
    for text, ids in zip(texts, loaded.encode(list(texts)), strict=True):
        room -= len(ids) + SEAM
        if room < 0 or len(groups[-1]) == GROUP:
            groups.append([])
            room = loaded.longest - len(ids) - SEAM
        groups[-1].append(text)
    return groups


def completion(loaded: LoadedModel, texts: Sequence[str], batch: int = 8) -> tuple[float | None, int]:
    """Return the share of texts that are completed word for word, and the number that could be halved."""
    writer = TextGenerator(loaded)
    halves = []
    for text in texts:
        words = text.split()
        if len(words) >= WORDS:
            middle = len(words) // 2
            halves.append((" ".join(words[:middle]), " ".join(words[middle:])))
    hits = 0
    for start in range(0, len(halves), batch):
        part = halves[start : start + batch]
        heads, tails = (loaded.encode([half[side] for half in part]) for side in (0, 1))
        writings = [GenerationState(head[: loaded.longest], len(tail) + 2) for head, tail in zip(heads, tails, strict=True)]
        writer.run(writings)
        hits += sum(" ".join(one.text.split()).startswith(tail) for one, (_, tail) in zip(writings, part, strict=True))
    return hits / len(halves) if halves else None, len(halves)


def probe(loaded: LoadedModel, texts: Sequence[str], reference: Sequence[str] = ()) -> list[ContaminationSign]:
    """Return all signs for the distinct texts of one task; `reference` are texts of the same kind."""
    texts, reference = list(dict.fromkeys(texts)), list(dict.fromkeys(reference))
    known = min_k(loaded, reference)[0]
    found = {"min-k": min_k(loaded, texts), "order": order_test(loaded, texts), "completion": completion(loaded, texts)}
    return [
        ContaminationSign(name, value, items, CAVEATS[name], known if name == "min-k" else None, LACKING[name] if value is None else None)
        for name, (value, items) in found.items()
    ]
