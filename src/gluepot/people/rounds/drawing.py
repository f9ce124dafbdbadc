"""Drawing of a round from a declared task: a stratified, seeded sample, control and training items from train, hidden repeats."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct, to_builtins

from gluepot.data.examples import load_examples
from gluepot.data.folders import has_split
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize
from gluepot.records import Example, Task
from gluepot.runs.storage.store import plain
from gluepot.statistics.bootstrap import generator
from gluepot.tasks import KINDS

ItemKind = Literal["training", "pilot", "main", "control", "repeat"]


class DrawnItem(Struct, frozen=True):
    """Item of a round; only training and control items have a gold answer."""

    item: str
    kind: ItemKind
    inputs: dict[str, Any]
    gold: Any = None


class RoundPlan(Struct, frozen=True):
    """Annotation round, as saved in a file and opened on a board."""

    name: str
    task: str
    split: str
    title: str
    items: list[DrawnItem]
    votes: int
    """Number of votes wanted per item."""
    seed: int
    questions: list[str] = []
    """Questions in order; each is asked of all items before the next."""
    guidelines: str = ""
    consent: str = ""
    """Consent text in the organiser's words; if empty, the pages show a standard text in the rater's language."""
    language: str = ""
    """Language of the user interface; if empty, that of the rater's browser."""
    lease_minutes: float = 20.0
    kind: str = "gluepot-round"


class RoundSettings(Struct, frozen=True):
    """Parameters of a round to be drawn."""

    items: int
    votes: int = 3
    split: str = "test"
    seed: int = 0
    controls: int = 0
    training: int = 0
    repeats: int = 0
    pilot: int = 0
    questions: list[str] = []
    guidelines: str = ""
    consent: str = ""
    language: str = ""
    name: str = ""


def draw_round(task: Task, settings: RoundSettings) -> RoundPlan:
    """Draw the items of a round; pilot, main and repeat items do not contain their answers."""
    examples = load_examples(task, settings.split)
    if settings.items > len(examples):
        raise WrongUse(f"{task.path}: --items {settings.items:,}: {settings.split} has {pluralize(len(examples), 'item')}.")
    rng = generator("round", task.path, settings.split, settings.seed)
    chosen = _stratified(examples, settings.items, rng)
    items = [_drawn(task, e, "pilot" if place < settings.pilot else "main") for place, e in enumerate(chosen)]
    wanted = settings.controls + settings.training
    known = _known(task, settings.split, wanted, rng)
    items += [_drawn(task, e, "training" if place < settings.training else "control", known=True) for place, e in enumerate(known)]
    items += [_drawn(task, chosen[place], "repeat") for place in rng.permutation(len(chosen))[: settings.repeats]]
    name = settings.name or re.sub(r"[^a-z0-9-]+", "-", f"{task.suite}-{task.name}-{settings.seed}".lower())
    return RoundPlan(
        name=name,
        task=task.path,
        split=settings.split,
        title=task.title,
        items=items,
        votes=settings.votes,
        seed=settings.seed,
        questions=settings.questions,
        guidelines=settings.guidelines or task.summary,
        consent=settings.consent,
        language=settings.language,
    )


def _known(task: Task, split: str, count: int, rng: np.random.Generator) -> list[Example]:
    """Sample items with known answers from train, never from the split of the round."""
    if not count:
        return []
    if split == "train" or not has_split(task, "train"):
        raise WrongUse(f"{task.path}: control and training items come from train, which is missing or is the split of the round.")
    known = [example for example in load_examples(task, "train") if example.target is not None]
    if count > len(known):
        raise WrongUse(f"{task.path}: {pluralize(count, 'control item')} from train, which has {len(known):,}.")
    return _stratified(known, count, rng)


def _stratified(examples: Sequence[Example], count: int, rng: np.random.Generator) -> list[Example]:
    """Sample in proportion to the gold answers if these are few and public; return the items in random order."""
    strata: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        strata[str(example.target) if isinstance(example.target, str | int | bool) else ""].append(example)
    if len(strata) > max(count // 2, 1):
        strata = {"": list(examples)}
    shares = {name: count * len(own) / len(examples) for name, own in strata.items()}
    sizes = {name: int(share) for name, share in shares.items()}
    for name in sorted(shares, key=lambda one: sizes[one] - shares[one])[: count - sum(sizes.values())]:
        sizes[name] += 1
    chosen = [own[place] for name, own in strata.items() for place in rng.permutation(len(own))[: sizes[name]]]
    return [chosen[place] for place in rng.permutation(len(chosen))]


def _drawn(task: Task, example: Example, kind: ItemKind, *, known: bool = False) -> DrawnItem:
    """Return the blinded item: only the inputs that a model may see."""
    hidden = KINDS[task.kind].revealing
    inputs = {name: to_builtins(value) for name, value in example.inputs.items() if name not in hidden}
    return DrawnItem(example.id, kind, inputs, plain(example.target) if known else None)
