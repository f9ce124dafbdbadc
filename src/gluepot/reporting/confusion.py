"""Confusion matrices: counts of gold against predicted labels."""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from gluepot.metrics import INVALID
from gluepot.reporting.systems import LoadedSystem
from gluepot.submissions.pairing import PairedAnswers
from gluepot.tasks import KINDS

MOST = 15
"""Maximum number of labels with a row of their own."""
OTHER, NONE = "other", "(no label)"


class TaskConfusion(Struct, frozen=True):
    """Counts of one system on one task: one row per gold label, one column per predicted label."""

    task: str
    title: str
    system: int
    rows: list[str]
    columns: list[str]
    counts: list[list[int]]


def confusions(split: str, systems: Sequence[tuple[int, LoadedSystem]]) -> list[TaskConfusion]:
    """Return all matrices of a section, task by task; those of majority baselines only if there are no other systems."""
    found = []
    chosen = [(number, system) for number, system in systems if not system.majority] or systems
    for task in systems[0][1].suite.tasks.values():
        if not KINDS[task.kind].answer.classes(task):
            continue
        for number, system in chosen:
            pair = system.pairs.get((task.name, split))
            if pair is not None and all(example.target is not None for example in pair.examples):
                found.append(_confusion(number, pair))
    return found


def _confusion(system: int, pair: PairedAnswers) -> TaskConfusion:
    answered = [(str(e.target), _name(output)) for e, output in zip(pair.examples, pair.outputs, strict=True) if output is not None]
    labels = pair.task.labels
    if len(labels) > MOST:
        frequent = dict(Counter(label for both in answered for label in both).most_common(MOST))
        labels = [label for label in labels if label in frequent]
    counted = Counter((g if g in labels else OTHER, p if p in (*labels, NONE) else OTHER) for g, p in answered)
    rest = [OTHER] if len(labels) < len(pair.task.labels) else []
    none = [NONE] if any(p == NONE for _, p in counted) else []
    rows, columns = [*labels, *rest], [*labels, *rest, *none]
    return TaskConfusion(pair.task.name, pair.task.title, system, rows, columns, [[counted[g, p] for p in columns] for g in rows])


def _name(output: object) -> str:
    return NONE if output == INVALID else str(output)
