"""Is one system truly better than another? Task by task on the same items, corrected for the number of questions asked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, compress
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, structs

from gluepot.data.submissions.pairing import Paired
from gluepot.data.submissions.reading import Submission, read_submission
from gluepot.errors import GluepotError, WrongUse
from gluepot.metrics.sample import Floats, value_of
from gluepot.records import Example, Suite, Task
from gluepot.runs.evaluation import run_submission
from gluepot.runs.manifest import Manifest
from gluepot.runs.scoring import item_groups, make_sample
from gluepot.runs.sharing import SharedResamples
from gluepot.runs.store import MANIFEST, RunFolder
from gluepot.statistics.bootstrap import RESAMPLES, interval
from gluepot.statistics.paired import holm, mcnemar
from gluepot.statistics.power import detectable_difference
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import load_suite

CERTAIN = 0.05
RIGHT_OR_WRONG = ("accuracy", "micro-f1", "pseudo-alpha")
"""Metrics that only count right items, where an item is right or wrong."""


class Judgement(Struct, frozen=True, kw_only=True):
    """What the shared items say of the difference between two systems."""

    difference: float
    low: float | None
    high: float | None
    p: float
    p_is_bound: bool
    """Whether p is the smallest that so many resamples can show: the true one may be smaller."""
    test: str
    better: int
    """Items that `a` answers better than `b`."""
    worse: int
    detectable: float
    """The smallest true difference that this comparison would find four times in five."""


class TaskComparison(Judgement, frozen=True, kw_only=True):
    """Two systems on one task."""

    a: str
    b: str
    task: str
    split: str
    metric: str
    value_a: float
    value_b: float
    p_corrected: float
    """Holm's, over all comparisons of this call."""
    n: int
    verdict: str = ""


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
    """Every pair of systems on every task that both answered, on the resamples that boards use."""
    shared = SharedResamples(resamples)
    rows = [
        _compare((a.name, b.name), a.pairs[key], b.pairs[key], shared)
        for a, b in combinations(systems, 2)
        for key in a.pairs
        if key in b.pairs and a.pairs[key].examples[0].target is not None
    ]
    if not rows:
        raise WrongUse("these systems share no task with published answers.")
    corrected = holm([row.p for row in rows])
    return [structs.replace(row, p_corrected=p, verdict=verdict(row, p)) for row, p in zip(rows, corrected, strict=True)]


def _compare(names: tuple[str, str], first: Paired, second: Paired, shared: SharedResamples) -> TaskComparison:
    task, metric = first.task, first.task.metrics[0]
    kept = [x is not None and y is not None for x, y in zip(first.outputs, second.outputs, strict=True)]
    examples = list(compress(first.examples, kept))
    outputs = [list(compress(paired.outputs, kept)) for paired in (first, second)]
    samples = [make_sample(task, metric, examples, answers) for answers in outputs]
    draw = shared.of(replace(first, outputs=[output if both else None for output, both in zip(first.outputs, kept, strict=True)]))
    a, b = (value_of(sample) for sample in samples)
    gains = item_gains(task, examples, *outputs)
    judged = judge(metric, (a, b), draw(samples), gains, grouped=item_groups(examples) is not None)
    return TaskComparison(
        a=names[0],
        b=names[1],
        task=task.name,
        split=first.split,
        metric=metric,
        value_a=a,
        value_b=b,
        p_corrected=judged.p,
        n=len(examples),
        **structs.asdict(judged),
    )


def judge(metric: str, values: tuple[float, float], draws: Sequence[Floats], gains: Floats, *, grouped: bool) -> Judgement:
    """Whether two values of a metric differ, from their paired bootstrap values and what each item gains (nothing, if not known).

    >>> rng = np.random.default_rng(0)
    >>> gains = np.array([1.0] * 31 + [-1.0] * 12 + [0.0] * 97)
    >>> judged = judge("accuracy", (0.8, 0.66), rng.normal([[0.8], [0.66]], 0.03, (2, 1000)), gains, grouped=False)
    >>> judged.test, round(judged.p, 4), judged.better, judged.worse
    ('McNemar, exact', 0.0054, 31, 12)
    """
    differences = np.asarray(draws[0], float) - np.asarray(draws[1], float)
    low, high = interval(differences) or (None, None)
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    if metric in RIGHT_OR_WRONG and not grouped and len(gains) and np.isin(gains, (-1, 0, 1)).all():
        p, bound, test = mcnemar(better, worse), False, "McNemar, exact"
    else:
        (p, bound), test = _bootstrap_p(differences), "paired bootstrap"
    return Judgement(
        difference=values[0] - values[1],
        low=low,
        high=high,
        p=p,
        p_is_bound=bound,
        test=test,
        better=better,
        worse=worse,
        detectable=detectable_difference(draws[0], draws[1]),
    )


def _bootstrap_p(differences: Floats) -> tuple[float, bool]:
    """Twice the share of resamples on the far side of no difference, and whether there was none."""
    defined = differences[~np.isnan(differences)]
    tail = int(min((defined <= 0).sum(), (defined >= 0).sum()))
    return min(1.0, 2 * (tail + 1) / (len(defined) + 1)), tail == 0


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

    >>> gains = np.array([1.0] * 31 + [-1.0] * 12)
    >>> judged = structs.asdict(judge("accuracy", (0.8, 0.7), np.linspace([0.7, 0.65], [0.9, 0.75], 100).T, gains, grouped=False))
    >>> row = TaskComparison(a="A", b="B", task="t", split="dev", metric="accuracy", value_a=0.8, value_b=0.7, p_corrected=1, n=9, **judged)
    >>> verdict(row, 0.02)
    'A is better than B'
    >>> verdict(row, 0.2)
    'cannot be told apart; a difference below 0.082 would rarely be seen here'
    """
    if p < CERTAIN and row.difference:
        first, second = (row.a, row.b) if row.difference > 0 else (row.b, row.a)
        return f"{first} is better than {second}"
    return f"cannot be told apart; a difference below {row.detectable:.3f} would rarely be seen here"
