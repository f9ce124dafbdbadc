"""Scoring of paired answers: every declared metric with its interval, slices, and the suite's mean."""

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isnan
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from gluepot.data.folders import find_files, fingerprint
from gluepot.metrics import METRICS, Unavailable
from gluepot.metrics.sample import Floats, Sample, value_of
from gluepot.records import AllItems, Example, Result, Score, StatedScore, Suite, Task
from gluepot.runs.scores.coverage import answered, coverage_of, fill_skipped, unranked_reason
from gluepot.runs.scores.overall import suite_mean
from gluepot.statistics.bootstrap import RESAMPLES, generator
from gluepot.statistics.score_intervals import score_interval
from gluepot.submissions.pairing import PairedAnswers
from gluepot.submissions.reading import Submission
from gluepot.tasks.judging import make_sample as make_sample  # re-exported for the modules above

Draw = Callable[[Sequence[Sample]], list[Floats]]
"""Maps samples of several metrics on the same items to their bootstrap values."""
Share = Callable[[PairedAnswers], Draw]
"""Returns the resamples of a split that all systems of a board share."""
TOLERANCE = 1e-6
"""Maximum difference at which a stated score counts as equal to ours."""


@dataclass
class ScoredAnswers:
    """Scores with the bootstrap values of the ranking scores, by (task, split, metric)."""

    scores: list[Score] = field(default_factory=list)
    replicates: dict[tuple[str, str, str], Floats] = field(default_factory=dict)


def score_submission(
    suite: Suite, submission: Submission, resamples: int = RESAMPLES, score: Callable[[PairedAnswers], ScoredAnswers] | None = None
) -> Result:
    """Score one submission; `score` returns the scores of a pair if they are computed elsewhere."""
    scored = score_pairs(suite, submission, score or partial(score_pair, resamples=resamples))
    files = {f"{p.task.name}/{p.split}": find_files(p.task, p.split)[1] for p in _in_order(suite, submission.pairs)}
    return Result(
        suite=suite.name,
        version=suite.version,
        model=submission.model,
        scores=scored.scores,
        problems=submission.problems.listed(),
        overall=[mean for split in _splits(scored) if (mean := suite_mean(suite, split, scored.scores)) is not None],
        notices=submission.notices,
        stated=compare_stated(submission, scored.scores),
        data={place: fingerprint(paths) for place, paths in files.items()},
    )


def score_pairs(suite: Suite, submission: Submission, score: Callable[[PairedAnswers], ScoredAnswers]) -> ScoredAnswers:
    """Score all tasks, in the suite's order."""
    scored = ScoredAnswers()
    for paired in _in_order(suite, submission.pairs):
        part = score(paired)
        scored.scores += part.scores
        scored.replicates.update(part.replicates)
    for place, reason in submission.unread:
        scored.scores.append(Score(place.task.name, place.split, place.task.metrics[0], None, None, None, 0, True, reason=reason))
    return scored


def score_pair(paired: PairedAnswers, resamples: int = RESAMPLES, shared: Share | None = None) -> ScoredAnswers:
    """Score one task on one split; `shared` returns the resamples that all systems of a board share."""
    scored = ScoredAnswers()
    if paired.sound:
        score_task(paired, scored, resamples, shared)
    else:
        scored.scores.append(_null(paired, paired.task.metrics[0], "the file has problems"))
    return scored


def score_task(paired: PairedAnswers, scored: ScoredAnswers, resamples: int = RESAMPLES, shared: Share | None = None) -> None:
    """Score all metrics of one task on one split, and its slices by the ranking metric."""
    task, split = paired.task, paired.split
    if None in [e.target for e in paired.examples]:
        scored.scores.append(_null(paired, task.metrics[0], f"the answers to {task.name} {split} are not published"))
        return
    rows = score_answered(paired, task.metrics, resamples, shared)
    filled = fill_skipped(paired)
    whole = rows if filled is paired else score_answered(filled, task.metrics, resamples, shared)
    for (score, _), (full, values) in zip(rows, whole, strict=True):
        scored.scores.append(_with_all_items(_with_counts(score, paired), full, partial=filled is not paired))
        if values is not None:
            scored.replicates[task.name, split, score.metric] = values
    scored.scores += slice_scores(paired, resamples)


def score_answered(
    paired: PairedAnswers, metrics: Sequence[str], resamples: int, shared: Share | None = None, part: str | None = None
) -> list[tuple[Score, Floats | None]]:
    """Score metrics over the answered items."""
    kept = [(e, output) for e, output in zip(paired.examples, paired.outputs, strict=True) if output is not None]
    examples, outputs = [e for e, _ in kept], [output for _, output in kept]
    return score_metrics(paired.task, paired.split, metrics, examples, outputs, resamples, part, shared(paired) if shared else None)


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
    """Score metrics with their intervals and, given `draw`, bootstrap values; an undefined metric has no value but the reason."""
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
    values = dict(zip(samples, draw(list(samples.values())), strict=True)) if draw else {}
    groups = item_groups(examples)
    rows: list[tuple[Score, Floats | None]] = []
    for metric in metrics:
        head = Score(
            task.name, split, metric, None, None, None, len(examples), part is None and metric == task.metrics[0], slice=part or UNSET
        )
        if metric in reasons:
            rows.append((replace(head, reason=reasons[metric]), None))
            continue
        sample = samples[metric]
        low, high = score_interval(sample, generator(task.path, split, part, metric), groups, resamples) or (None, None)
        rows.append((replace(head, value=value_of(sample), low=low, high=high, n=len(sample.inverse)), values.get(metric)))
    return rows


def item_groups(examples: Sequence[Example]) -> list[Hashable] | None:
    """Return the group of each item; None if the task has no groups."""
    groups: list[Hashable] = [example.group for example in examples]
    return None if groups.count(None) == len(groups) else groups


def slice_scores(paired: PairedAnswers, resamples: int) -> list[Score]:
    """Score the slices of a diagnostic by the ranking metric; a slice without answers has no value."""
    parts: dict[str, list[int]] = {}
    for number, example in enumerate(paired.examples):
        for tag in example.tags:
            parts.setdefault(tag, []).append(number)
    scores = []
    for part, numbers in sorted(parts.items()):
        inside = dataclasses.replace(paired, examples=[paired.examples[n] for n in numbers], outputs=[paired.outputs[n] for n in numbers])
        found = [score for score, _ in score_answered(inside, paired.task.metrics[:1], resamples, part=part)] if answered(inside) else []
        empty = replace(_null(inside, paired.task.metrics[0], "none of its items was answered"), n=0, primary=False, slice=part)
        scores += [replace(score, coverage=coverage_of(inside)) for score in found or [empty]]
    return scores


def compare_stated(submission: Submission, scores: Iterable[Score]) -> list[StatedScore]:
    """Compare each stated score with ours."""
    if submission.description is None:
        return []
    stated = submission.description
    rows = []
    for score in scores:
        said = stated.stated.get((score.task, score.split, score.metric))
        if said is not None and score.slice is UNSET:
            agrees = score.value is not None and abs(said - score.value) <= TOLERANCE
            rows.append(StatedScore(score.task, score.split, score.metric, said, score.value, agrees))
        count = stated.counts.get((score.task, score.split))
        if count is not None and score.primary and count != score.n:
            rows.append(StatedScore(score.task, score.split, "n", count, score.n, False))
    return rows


def _with_all_items(score: Score, full: Score, *, partial: bool) -> Score:
    """Add the score over all items to the one over answered items, where they differ and the score ranks."""
    if score.unranked:
        return replace(score, primary=False)
    if partial and score.value is not None and full.value is not None:
        return replace(score, all_items=AllItems(full.value, full.low, full.high))
    return score


def _null(paired: PairedAnswers, metric: str, reason: str) -> Score:
    return Score(paired.task.name, paired.split, metric, None, None, None, len(paired.examples), True, reason=reason)


def _with_counts(score: Score, paired: PairedAnswers) -> Score:
    unranked = paired.unranked or unranked_reason(paired.task, answered(paired), len(paired.outputs))
    score = replace(score, left_out=paired.skipped or UNSET, coverage=coverage_of(paired), unranked=unranked)
    return replace(score, invalid=paired.invalid or UNSET, clipped=paired.clipped or UNSET)


def _in_order(suite: Suite, pairs: list[PairedAnswers]) -> list[PairedAnswers]:
    place = {name: number for number, name in enumerate(suite.tasks)}
    return sorted(pairs, key=lambda paired: (place[paired.task.name], paired.split))


def _splits(scored: ScoredAnswers) -> list[str]:
    return list(dict.fromkeys(score.split for score in scored.scores))
