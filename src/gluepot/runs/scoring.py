"""Scores paired answers: every declared metric with its interval, slices, and the suite's mean."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any

import numpy as np
from msgspec import UNSET
from msgspec.structs import replace

from gluepot.data.folders import find_files, fingerprint
from gluepot.data.submissions.pairing import Paired
from gluepot.data.submissions.reading import Submission
from gluepot.metrics import METRICS, Unavailable
from gluepot.metrics.sample import Floats, Sample, value_of
from gluepot.records import Example, Mean, Result, Score, Stated, Suite, Task
from gluepot.statistics.bootstrap import RESAMPLES, generator, interval, replicate_all
from gluepot.tasks.judging import make_sample as make_sample  # also for those above

Draw = Callable[[Sequence[Sample]], list[Floats]]
"""From the samples of some metrics on the same items to their bootstrap values."""
TOLERANCE = 1e-6
"""How near a stated score must be to ours to count as the same."""


@dataclass
class Scored:
    """Scores with the bootstrap values behind them, by (task, split, metric)."""

    scores: list[Score] = field(default_factory=list)
    replicates: dict[tuple[str, str, str], Floats] = field(default_factory=dict)


def score_submission(suite: Suite, submission: Submission, resamples: int = RESAMPLES) -> Result:
    """Everything that can be said of one submission."""
    scored = score_pairs(suite, submission, resamples)
    files = {f"{p.task.name}/{p.split}": find_files(p.task, p.split)[1] for p in _in_order(suite, submission.pairs)}
    return Result(
        suite=suite.name,
        version=suite.version,
        model=submission.model,
        scores=scored.scores,
        problems=submission.problems.listed(),
        overall=[mean for split in _splits(scored) if (mean := suite_mean(suite, split, scored)) is not None],
        notices=submission.notices,
        stated=compare_stated(submission, scored.scores),
        data={place: fingerprint(paths) for place, paths in files.items()},
    )


def score_pairs(suite: Suite, submission: Submission, resamples: int = RESAMPLES, shared: Callable[[Paired], Draw] | None = None) -> Scored:
    """The scores of all tasks, in the suite's order; `shared` gives the resamples that all systems of a board share."""
    scored = Scored()
    for paired in _in_order(suite, submission.pairs):
        if paired.sound:
            score_task(paired, scored, resamples, shared(paired) if shared else None)
        else:
            scored.scores.append(_null(paired, paired.task.metrics[0], "the file has problems"))
    for place, reason in submission.unread:
        scored.scores.append(Score(place.task.name, place.split, place.task.metrics[0], None, None, None, 0, True, reason=reason))
    return scored


def score_task(paired: Paired, scored: Scored, resamples: int = RESAMPLES, draw: Draw | None = None) -> None:
    """All metrics of one task on one split, and its slices by the metric that ranks."""
    task = paired.task
    kept = [(e, output) for e, output in zip(paired.examples, paired.outputs, strict=True) if output is not None]
    examples, outputs = [e for e, _ in kept], [output for _, output in kept]
    if any(e.target is None for e in examples):
        scored.scores.append(_null(paired, task.metrics[0], f"the answers to {task.name} {paired.split} are not published"))
        return
    for score, values in score_metrics(task, paired.split, task.metrics, examples, outputs, resamples, draw=draw):
        scored.scores.append(_with_counts(score, paired))
        if values is not None:
            scored.replicates[task.name, paired.split, score.metric] = values
    scored.scores += slice_scores(task, paired.split, examples, outputs, resamples)


def score_metrics(
    task: Task,
    split: str,
    metrics: Sequence[str],
    examples: Sequence[Example],
    outputs: Sequence[Any],
    resamples: int,
    part: str | None = None,
    draw: Draw | None = None,
) -> list[tuple[Score, Floats | None]]:
    """Metrics with their intervals and bootstrap values; null with the reason where one is undefined."""
    samples: dict[str, Sample] = {}
    reasons: dict[str, str] = {}
    for metric in metrics:
        try:
            sample = make_sample(task, metric, examples, outputs)
        except Unavailable as error:
            reasons[metric] = str(error)
            continue
        if isnan(value_of(sample)):
            reasons[metric] = METRICS[metric].why_undefined([example.target for example in examples], outputs)
        else:
            samples[metric] = sample
    if draw is None:
        drawn = replicate_all(list(samples.values()), generator(task.path, split, part), item_groups(examples), resamples)
    else:
        drawn = draw(list(samples.values()))
    values = dict(zip(samples, drawn, strict=True))
    rows: list[tuple[Score, Floats | None]] = []
    for metric in metrics:
        head = Score(
            task.name, split, metric, None, None, None, len(examples), part is None and metric == task.metrics[0], slice=part or UNSET
        )
        if metric in reasons:
            rows.append((replace(head, reason=reasons[metric]), None))
            continue
        low, high = interval(values[metric]) or (None, None)
        n = len(samples[metric].inverse)
        rows.append((replace(head, value=value_of(samples[metric]), low=low, high=high, n=n), values[metric]))
    return rows


def item_groups(examples: Sequence[Example]) -> list[Hashable] | None:
    """The group of each item, where the task names groups."""
    groups: list[Hashable] = [example.group for example in examples]
    return None if all(group is None for group in groups) else groups


def slice_scores(task: Task, split: str, examples: Sequence[Example], outputs: Sequence[Any], resamples: int) -> list[Score]:
    parts: dict[str, list[int]] = {}
    for number, example in enumerate(examples):
        for tag in example.tags:
            parts.setdefault(tag, []).append(number)
    scores = []
    for part, numbers in sorted(parts.items()):
        chosen, answers = [examples[n] for n in numbers], [outputs[n] for n in numbers]
        scores += [score for score, _ in score_metrics(task, split, task.metrics[:1], chosen, answers, resamples, part)]
    return scores


def suite_mean(suite: Suite, split: str, scored: Scored) -> Mean | None:
    """The suite's mean on a split, its interval from the tasks' independent bootstraps; None if no task of it is there."""
    values = {(s.task, s.metric): s.value for s in scored.scores if s.split == split and s.slice is UNSET}
    means, spreads, missing = [], [], []
    for term in suite.overall.terms:
        keys = [(task, metric or suite.tasks[task].metrics[0]) for task, _, metric in (entry.partition(":") for entry in term)]
        found = [values.get(key) for key in keys]
        if any(value is None for value in found):
            missing += [task for (task, _), value in zip(keys, found, strict=True) if value is None]
            continue
        means.append(np.mean([value for value in found if value is not None]))
        spreads.append(np.mean([scored.replicates[task, split, metric] for task, metric in keys], axis=0))
    if not means:
        return None
    if missing:
        reason = f"incomplete: {', '.join(dict.fromkeys(missing))} missing"
        return Mean(split, None, None, None, len(means), reason)
    low, high = interval(np.mean(spreads, axis=0)) or (None, None)
    return Mean(split, float(np.mean(means)), low, high, len(means))


def compare_stated(submission: Submission, scores: Iterable[Score]) -> list[Stated]:
    """Each stated score beside ours."""
    if submission.description is None:
        return []
    stated = submission.description
    rows = []
    for score in scores:
        said = stated.stated.get((score.task, score.split, score.metric))
        if said is not None and score.slice is UNSET:
            agrees = score.value is not None and abs(said - score.value) <= TOLERANCE
            rows.append(Stated(score.task, score.split, score.metric, said, score.value, agrees))
        count = stated.counts.get((score.task, score.split))
        if count is not None and score.primary and count != score.n:
            rows.append(Stated(score.task, score.split, "n", count, score.n, False))
    return rows


def _null(paired: Paired, metric: str, reason: str) -> Score:
    return Score(paired.task.name, paired.split, metric, None, None, None, len(paired.examples), True, reason=reason)


def _with_counts(score: Score, paired: Paired) -> Score:
    return replace(score, left_out=paired.skipped or UNSET, invalid=paired.invalid or UNSET, clipped=paired.clipped or UNSET)


def _in_order(suite: Suite, pairs: list[Paired]) -> list[Paired]:
    place = {name: number for number, name in enumerate(suite.tasks)}
    return sorted(pairs, key=lambda paired: (place[paired.task.name], paired.split))


def _splits(scored: Scored) -> list[str]:
    return list(dict.fromkeys(score.split for score in scored.scores))
