"""Is one system truly better than another? Task by task on the same items, corrected for the number of questions asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from gluepot.data.submissions.pairing import Paired
from gluepot.data.submissions.reading import Submission, read_submission
from gluepot.errors import GluepotError, WrongUse
from gluepot.metrics.sample import Floats, value_of
from gluepot.records import Example, Suite, Task
from gluepot.runs.evaluation import run_submission
from gluepot.runs.manifest import Manifest
from gluepot.runs.scoring import item_groups, make_sample
from gluepot.runs.store import MANIFEST, RunFolder
from gluepot.statistics.bootstrap import RESAMPLES, generator, interval
from gluepot.statistics.paired import holm, mcnemar, paired_replicates
from gluepot.statistics.power import detectable_difference
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import load_suite

CERTAIN = 0.05


class TaskComparison(Struct, frozen=True):
    """Two systems on one task."""

    a: str
    b: str
    task: str
    split: str
    metric: str
    value_a: float
    value_b: float
    difference: float
    low: float | None
    high: float | None
    p: float
    p_corrected: float
    """Holm's, over all comparisons of this call."""
    test: str
    better: int
    """Items that `a` answers better than `b`."""
    worse: int
    detectable: float
    """The smallest true difference that this comparison would find four times in five."""
    n: int
    verdict: str


@dataclass
class System:
    """A named set of predictions."""

    name: str
    pairs: dict[tuple[str, str], Paired]


def load_system(path: Path, suite: Suite | None) -> tuple[Suite, System]:
    """A run, or a submission to a suite that must then be named."""
    folder = RunFolder(path)
    if folder.exists():
        manifest = folder.read(MANIFEST, Manifest)
        if manifest.partial:
            raise WrongUse(f"{path}: a partial run is not compared.")
        found = load_suite(manifest.identity.suite)
        return found, _system(run_submission(folder, found, manifest, manifest.identity.seeds[0]), path)
    if suite is None:
        raise WrongUse(f"{path}: not a run; say with --suite which suite these predictions answer.")
    return suite, _system(read_submission(suite, path), path)


def _system(submission: Submission, path: Path) -> System:
    if submission.problems.count():
        first = submission.problems.listed()[0]
        raise GluepotError(f"{path}: {submission.problems.count():,} problems, the first: {first}")
    return System(submission.model, {(p.task.name, p.split): p for p in submission.pairs})


def compare_systems(systems: Sequence[System], resamples: int = RESAMPLES) -> list[TaskComparison]:
    """Every pair of systems on every task that both answered."""
    rows = [
        _compare(a, b, a.pairs[key], b.pairs[key], resamples)
        for a, b in combinations(systems, 2)
        for key in a.pairs
        if key in b.pairs and a.pairs[key].examples[0].target is not None
    ]
    if not rows:
        raise WrongUse("these systems share no task with published answers.")
    corrected = holm([row.p for row in rows])
    from msgspec.structs import replace

    return [replace(row, p_corrected=p, verdict=verdict(row, p)) for row, p in zip(rows, corrected, strict=True)]


def _compare(a: System, b: System, first: Paired, second: Paired, resamples: int) -> TaskComparison:
    task, metric = first.task, first.task.metrics[0]
    kept = [i for i, (x, y) in enumerate(zip(first.outputs, second.outputs, strict=True)) if x is not None and y is not None]
    examples = [first.examples[i] for i in kept]
    outputs = [[p.outputs[i] for i in kept] for p in (first, second)]
    samples = [make_sample(task, metric, examples, answers) for answers in outputs]
    draws = paired_replicates(samples, generator("compare", task.path, first.split), item_groups(examples), resamples)
    low, high = interval(draws[0] - draws[1]) or (None, None)
    gains = item_gains(task, examples, *outputs)
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    p, test = _p_value(metric, draws, better, worse, item_groups(examples) is not None)
    values = [value_of(sample) for sample in samples]
    return TaskComparison(
        a.name,
        b.name,
        task.name,
        first.split,
        metric,
        values[0],
        values[1],
        values[0] - values[1],
        low,
        high,
        p,
        p,
        test,
        better,
        worse,
        detectable_difference(draws[0], draws[1]),
        len(examples),
        "",
    )


def _p_value(metric: str, draws: Any, better: int, worse: int, grouped: bool) -> tuple[float, str]:
    if metric in ("accuracy", "micro-f1", "pseudo-alpha") and not grouped:
        return mcnemar(better, worse), "McNemar, exact"
    differences = draws[0] - draws[1]
    defined = differences[~np.isnan(differences)]
    tail = int(min((defined <= 0).sum(), (defined >= 0).sum()))
    return min(1.0, 2 * (tail + 1) / (len(defined) + 1)), "paired bootstrap"


def item_gains(task: Task, examples: Sequence[Example], a: Sequence[Any], b: Sequence[Any]) -> Any:
    """For each item, how much better `a`'s answer is than `b`'s: nearer, more of it right, or simply right."""
    return item_merits(task, examples, a) - item_merits(task, examples, b)


def item_merits(task: Task, examples: Sequence[Example], outputs: Sequence[Any]) -> Floats:
    """How good each answer is: 1 right, 0 wrong, or how near (0 at best for numbers); NaN where it was left out."""
    return np.array([np.nan if output is None else _merit(task, e, output) for e, output in zip(examples, outputs, strict=True)], float)


def _merit(task: Task, example: Example, output: Any) -> float:
    form, gold = KINDS[task.kind].answer.form, example.target
    if form == "number":
        return -abs(float(output) - float(gold))
    if form == "tags":
        return sum(g == p for g, p in zip(gold, output, strict=True)) / max(len(gold), 1)
    if form == "text" and task.kind != "analogy":
        metric = "rouge-1" if task.kind == "summary" else "token-f1"
        from gluepot.metrics import METRICS

        return METRICS[metric]([gold], [output])
    return float(output == gold)


def verdict(row: TaskComparison, p: float) -> str:
    """The comparison in words.

    >>> row = TaskComparison("A", "B", "t", "test", "accuracy", 0.8, 0.7, 0.1, 0.02, 0.18, 0.01, 0.02, "", 31, 12, 0.09, 140, "")
    >>> verdict(row, 0.02)
    'A is better than B'
    >>> verdict(row, 0.2)
    'cannot be told apart; a difference below 0.090 would rarely be seen here'
    """
    if p < CERTAIN and row.difference:
        first, second = (row.a, row.b) if row.difference > 0 else (row.b, row.a)
        return f"{first} is better than {second}"
    return f"cannot be told apart; a difference below {row.detectable:.3f} would rarely be seen here"
