"""Few-shot sampling by label, without examples whose text is in the test set."""

import random
from collections.abc import Callable, Hashable, Sequence, Set
from itertools import cycle

import numpy as np

from gluepot.errors import WrongUse
from gluepot.models.prompts.fields import flat
from gluepot.records import Example, Task
from gluepot.tasks import KINDS

SEED, ITERATIONS = 4242, 10
LENGTHS = (512, 1024, 2048, 4096, 8192)
"""Maximum characters of a shot's passage: the first limit under which there are enough passages applies."""


def text_key(task: Task, example: Example) -> tuple[str, ...]:
    """Return the running texts that identify a question, regardless of case and whitespace."""
    inputs = example.inputs
    names = ("tokens",) if "tokens" in inputs else (*KINDS[task.kind].texts, "a", "b", "c")
    texts = (" ".join(inputs[name]) if name == "tokens" else str(inputs[name]) for name in names if name in inputs)
    return tuple(" ".join(text.split()).casefold() for text in texts)


def known_texts(task: Task, example: Example) -> set[tuple[str, ...]]:
    """Return the texts that shots and items must not share: the whole question, and each of its running texts, as a premise or passage.

    Words and topics (up to two words) may recur.
    """
    key = text_key(task, example)
    return {key, *((text,) for text in key if text.count(" ") > 1)}


def bootstrapped(train: Sequence[Example], iteration: int) -> list[Example]:
    """Return the training data of one bootstrap: rows without text are removed, then rows drawn with replacement."""
    kept = [example for example in train if all(example.inputs.get(name, "…") for name in ("text", "tokens"))]
    rows = np.random.default_rng(SEED).integers(0, len(kept), size=(max(ITERATIONS, iteration + 1), len(kept)))[iteration] if kept else []
    return [kept[row] for row in rows]


def draw_shots(
    task: Task, train: Sequence[Example], count: int, iteration: int = 0, avoided: Set[tuple[str, ...]] = frozenset()
) -> list[Example]:
    """Draw `count` examples for an iteration, fewer if there are not as many with different texts."""
    if count < 0:
        raise WrongUse(f"--shots: {count} is less than none.")
    if not count or not train:
        return []
    data = bootstrapped(train, iteration)
    seed = SEED + iteration
    order = np.random.default_rng(seed).permutation(len(data))
    fit = {id(example): known_texts(task, example).isdisjoint(avoided) for example in train}
    pool = [data[row] for row in order if fit[id(data[row])]]
    shots = _draw(task, pool, count)
    random.Random(seed).shuffle(shots)  # the same generator as random.seed(s); random.shuffle(…)
    return shots


def _draw(task: Task, pool: list[Example], count: int) -> list[Example]:
    answer = KINDS[task.kind].answer
    options = len(answer.classes(task)) or max((len(answer.options(task, example)) for example in pool), default=0)
    if answer.categorical and options:
        return _cycled(task, pool, count, range(options), lambda example, number: answer.position(task, example.target) == number)
    if answer.per_token:
        begins = list(dict.fromkeys(label for label in task.labels if label.startswith("B-")))
        return _cycled(task, pool, count, begins, lambda example, tag: tag in example.target)
    if task.kind == "span-answer":
        pool = _short_passages(pool, count)
        return _first(pool, count, lambda example: flat(example.inputs["context"]))
    return _first(pool, count, lambda example: text_key(task, example))


def _cycled(
    task: Task, pool: list[Example], count: int, labels: Sequence[Hashable], has: Callable[[Example, Hashable], bool]
) -> list[Example]:
    """Cycle through the labels and take the first row with each; rows with the same text are not drawn again."""
    shots: list[Example] = []
    gone: set[tuple[str, ...]] = set()
    missed = 0
    for label in cycle(labels):
        if len(shots) == count or missed == len(labels):
            break
        found = next((example for example in pool if has(example, label) and text_key(task, example) not in gone), None)
        missed = missed + 1 if found is None else 0
        if found is not None:
            shots.append(found)
            gone.add(text_key(task, found))
    return shots


def _first(pool: list[Example], count: int, key: Callable[[Example], Hashable]) -> list[Example]:
    distinct: dict[Hashable, Example] = {}
    for example in pool:
        distinct.setdefault(key(example), example)
        if len(distinct) == count:
            break
    return list(distinct.values())


def _short_passages(pool: list[Example], count: int) -> list[Example]:
    for most in LENGTHS:
        short = [example for example in pool if len(example.inputs["context"]) < most]
        if len({example.inputs["context"] for example in short}) >= count:
            return short
    return pool
