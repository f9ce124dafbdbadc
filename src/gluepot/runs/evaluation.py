"""Prediction and scoring of a run: its jobs, its scores over all seeds, and the summary shown to users and boards."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from msgspec import UNSET, UnsetType, json
from msgspec.structs import replace

from gluepot.data.examples import load_examples
from gluepot.errors import GluepotError
from gluepot.masking import mask_secrets
from gluepot.models import ModelName
from gluepot.plurals import pluralize
from gluepot.records import AllItems, Mean, Prediction, Problem, Result, Score, Suite
from gluepot.runs.comparison.triviality import TRIVIAL, TrivialBaselineComparison, Verdict, beside_trivial, one_answer
from gluepot.runs.prediction.execution.executors import Executor
from gluepot.runs.prediction.jobs import JobReport
from gluepot.runs.prediction.model_selection.bootstraps import BootstrappedMetric
from gluepot.runs.prediction.model_selection.search import run_ineligibility_reason
from gluepot.runs.prediction.plan import Plan
from gluepot.runs.scores.answer_stats import AnswerStats, aggregate_traces
from gluepot.runs.scores.coverage import ranking_value
from gluepot.runs.scores.scoring import score_submission
from gluepot.runs.scores.training_summary import Search, TrainedModel, mean_spread, read_searches, read_trained, score_bootstraps
from gluepot.runs.storage import score_cache
from gluepot.runs.storage.manifest import Manifest, read_manifest
from gluepot.runs.storage.provenance import Provenance, make_provenance
from gluepot.runs.storage.store import RunFolder
from gluepot.statistics.bootstrap import RESAMPLES
from gluepot.submissions.pairing import PairedAnswers
from gluepot.submissions.problems import Problems
from gluepot.submissions.reading import Submission
from gluepot.submissions.run_predictions import pair_chosen, pair_predictions
from gluepot.tasks.declarations import load_suite

SCORES, TIMES = "scores.json", "times.json"
NO_FILE = "the run has no predictions of it."


class RunScores(Result, frozen=True, kw_only=True):
    """`scores.json`: everything computed from a run's predictions, and nothing that changes on recomputation.

    The fields of a `score` result, over all seeds, and those that only a run has.
    """

    partial: bool
    seeds: dict[int, Result]
    """Result of each seed."""
    failed: dict[str, str] = {}
    """Tasks without predictions, with the reason."""
    beside_trivial: dict[str, TrivialBaselineComparison] = {}
    """Whether a task's answers are better or worse than those of the best trivial baseline, or not significantly different."""
    one_answer: list[str] = []
    """Tasks with the same answer to every item."""
    asked: dict[str, AnswerStats] = {}
    """Statistics on a language model's answers, by task."""
    trained: list[TrainedModel] = []
    searches: list[Search] = []
    search_spread: float | None = None
    """Mean over tasks of the standard deviation between configurations."""
    bootstraps: list[BootstrappedMetric] = []
    provenance: Provenance | None = None
    """Inputs that the scores were computed from."""


def predict(
    model: ModelName,
    suite: Suite,
    plan: Plan,
    folder: RunFolder,
    executor: Executor,
    tick: Callable[[], None] = lambda: None,
    told: Callable[[JobReport], None] = lambda report: None,
) -> dict[str, str]:
    """Run all jobs and return the tasks that could not be answered, with reasons."""
    failed = {skipped.task: skipped.reason for skipped in plan.skipped}
    times: dict[str, float] = folder.read(TIMES, dict[str, float]) if (folder.path / TIMES).is_file() else {}
    for report in executor(plan, model, suite, folder.path, tick):
        failed |= {} if report.trial else report.failed  # a search continues without its failed trials
        if report.answered:
            times[report.job] = times.get(report.job, 0.0) + report.seconds
            folder.write(TIMES, times)
        reasons = "".join(f"; {task}: {reason}" for task, reason in report.failed.items())
        guessed = f", {report.unknown} guessed for unknown words" if report.unknown else ""
        folder.log(f"{report.job}: {report.answered} answered in {report.seconds:.2f} s{guessed}{reasons}")
        told(report)
    return failed


def score_run(folder: RunFolder, failed: Mapping[str, str] = {}, resamples: int = RESAMPLES, suite: Suite | None = None) -> RunScores:
    """Compute the scores of a run from its stored predictions; `failed` may be in any order, since jobs finish in any order."""
    manifest = read_manifest(folder, suite)
    identity, model = manifest.identity, manifest.identity.model.name
    suite = suite or load_suite(identity.suite)
    provenance = make_provenance(folder, suite, manifest, resamples)
    submissions = {seed: run_submission(folder, suite, manifest, seed) for seed in identity.seeds}
    failed = {**dict.fromkeys(_without_file(submissions.values(), identity.tasks), NO_FILE), **failed}
    unanswered = {name: failed[name] for name in suite.tasks if name in failed}
    seeds = {seed: score_submission(suite, submission, resamples) for seed, submission in submissions.items()}
    if not any(result.scores for result in seeds.values()):
        why = "; ".join(f"{task}: {reason}" for task, reason in unanswered.items())
        raise GluepotError(f"{model} answered nothing of {identity.suite}. {why}")
    searches = read_searches(folder, identity.seeds)
    pairs = submissions[identity.seeds[0]].pairs
    return RunScores(
        suite=suite.name,
        version=suite.version,
        model=model,
        partial=manifest.partial,
        scores=_mean_scores(list(seeds.values())),
        problems=[_placed(problem, seed) for seed, result in seeds.items() for problem in result.problems],
        notices=list(dict.fromkeys(notice for result in seeds.values() for notice in result.notices)),
        data={place: data for result in seeds.values() for place, data in result.data.items()},
        overall=_mean_overall([result.overall for result in seeds.values()]),
        seeds=seeds,
        failed=unanswered,
        asked=_asked(folder, manifest),
        beside_trivial=beside_trivial(suite, pairs, model),
        one_answer=[] if model == TRIVIAL[0] else one_answer(pairs),
        trained=read_trained(folder, identity.seeds),
        searches=searches,
        search_spread=mean_spread(searches),
        bootstraps=score_bootstraps(suite, identity, [submission.pairs for submission in submissions.values()]),
        provenance=provenance,
    )


def _without_file(submissions: Iterable[Submission], tasks: Sequence[str]) -> list[str]:
    """Return the tasks without an answer from any seed."""
    answered = {paired.task.name for submission in submissions for paired in submission.pairs}
    return [name for name in tasks if name not in answered]


def _asked(folder: RunFolder, manifest: Manifest) -> dict[str, AnswerStats]:
    identity = manifest.identity
    found: dict[str, AnswerStats] = {}
    for name in identity.tasks:
        files = [folder.predictions(name, identity.split, seed) for seed in identity.seeds]
        asked = aggregate_traces(line for file in files for line in file if isinstance(line, Prediction))
        found |= {name: asked} if asked else {}
    return found


def run_submission(folder: RunFolder, suite: Suite, manifest: Manifest, seed: int) -> Submission:
    """Pair a run's predictions of one seed with their items, using the same strict code as for untrusted submissions."""
    submission = Submission(manifest.identity.model.name)
    for name in manifest.identity.tasks:
        pair = _pair(folder, suite, name, manifest, seed, submission.problems)
        if pair is not None:
            submission.pairs.append(pair)
    if manifest.partial:
        submission.notices.append(f"partial: at most {pluralize(manifest.identity.limit or 0, 'item')} a task; never ranked")
    return submission


def _pair(folder: RunFolder, suite: Suite, name: str, manifest: Manifest, seed: int, problems: Problems) -> PairedAnswers | None:
    task, split = suite.tasks[name], manifest.identity.split
    file = folder.predictions(name, split, seed)
    if not file.exists():
        return None
    examples = load_examples(task, split)[: manifest.identity.limit]
    if manifest.people is not None:
        return pair_chosen(task, split, examples, file, problems)
    paired = pair_predictions(task, split, examples, file, problems)
    paired.unranked = run_ineligibility_reason(folder, suite, task, split, seed)
    return paired


def _placed(problem: Problem, seed: int) -> Problem:
    """Return the problem with its seed in the file path."""
    return replace(problem, file=f"seed-{seed}/{problem.file}" if problem.file else f"seed-{seed}")


def _mean_scores(results: Sequence[Result]) -> list[Score]:
    """Average each metric over seeds. A metric that a seed lacks, for example a diverged one, has no mean: no seed is dropped silently."""
    return [_mean_score(scores, len(results)) for scores in _by_metric(results)]


def _mean_score(scores: Sequence[Score], seeds: int) -> Score:
    """Aggregate one metric over all seeds: the mean, the spread between seeds, and the mean bounds of their intervals over items."""
    first, lacking = scores[0], seeds - len(scores)
    values = [score.value for score in scores] + [None] * lacking
    without = f"{lacking} of {pluralize(seeds, 'seed')} without answers (diverged, or stopped)"
    return replace(
        first,
        value=_mean(values),
        spread=stdev(v for v in values if v is not None) if seeds > 1 and None not in values else UNSET,
        low=None if lacking else _mean([score.low for score in scores]),
        high=None if lacking else _mean([score.high for score in scores]),
        primary=all(score.primary for score in scores),
        reason=without if lacking else first.reason,
        left_out=_sum([score.left_out for score in scores]),
        coverage=UNSET if first.coverage is UNSET else fmean(score.coverage or 0.0 for score in scores),
        all_items=UNSET if lacking else _mean_all_items(scores),
        unranked=next((score.unranked for score in scores if score.unranked), UNSET),
        invalid=_sum([score.invalid for score in scores]),
        clipped=_sum([score.clipped for score in scores]),
    )


def _sum(counts: Sequence[int | UnsetType]) -> int | UnsetType:
    """Sum counts over all seeds; UNSET if no seed has any."""
    known = [count for count in counts if count is not UNSET]
    return sum(known) if known else UNSET


def _mean_all_items(scores: Sequence[Score]) -> AllItems | UnsetType:
    """Average the ranking values; UNSET if no seed skipped an item, or if one of them is unranked."""
    if not any(score.all_items for score in scores):
        return UNSET
    whole = [score.all_items or AllItems(score.value, score.low, score.high) for score in scores if score.value is not None]
    value = _mean([ranking_value(score) for score in scores])
    return UNSET if value is None else AllItems(value, _mean([one.low for one in whole]), _mean([one.high for one in whole]))


def _by_metric(results: Sequence[Result]) -> list[list[Score]]:
    """Group the scores of all seeds by task, split, metric and slice, in order of first appearance."""
    found: dict[tuple[Any, ...], list[Score]] = {}
    for score in (score for result in results for score in result.scores):
        found.setdefault((score.task, score.split, score.metric, score.slice), []).append(score)
    return list(found.values())


def _mean_overall(seeds: Sequence[list[Mean]]) -> list[Mean]:
    means = []
    for same in zip(*(own for own in seeds if own), strict=False):
        value, low, high = (_mean([getattr(mean, name) for mean in same]) for name in ("value", "low", "high"))
        reason = next((mean.reason for mean in same if mean.reason), UNSET)
        note = next((mean.note for mean in same if mean.note), UNSET) if value is not None else UNSET
        means.append(Mean(same[0].split, value, low, high, same[0].tasks, reason, note))
    return means


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean over seeds, or None if any value is None."""
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None


def trivial_baseline_notices(scores: RunScores) -> list[str]:
    """Return sentences on the tasks whose answers are no better than a trivial baseline's."""
    found = []
    if scores.one_answer:
        found.append(f"The same answer to every item: {', '.join(scores.one_answer)}.")
    for finding, words in ((Verdict.WORSE, "Worse than"), (Verdict.UNTOLD, "Cannot be told apart from")):
        if tasks := [f"{task} ({told.system})" for task, told in scores.beside_trivial.items() if told.verdict == finding]:
            found.append(f"{words} the best system that reads nothing: {', '.join(tasks)}.")
    return found


def save_scores(folder: RunFolder, scores: RunScores) -> None:
    """Write the scores into the run, and into this machine's score cache."""
    folder.write(SCORES, scores)
    cache_scores(scores)


def cache_scores(scores: RunScores) -> None:
    if scores.provenance is not None:
        score_cache.keep(scores.provenance.key, json.encode(scores))


def default_folder(model: str, suite: str) -> Path:
    """Return `runs/MODEL-SUITE`, relative to the working directory."""
    safe = "".join(c if c.isalnum() or c in "-._" else "-" for c in f"{mask_secrets(model)}-{suite}")
    return Path("runs") / safe.strip("-")[-100:]
