"""Overall score of a suite: the mean of its tasks by their ranking values, its interval, and what is missing from it."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from gluepot.records import AllItems, Mean, Score, Suite
from gluepot.runs.scores.coverage import percent
from gluepot.statistics.score_intervals import mean_interval


def suite_mean(suite: Suite, split: str, scores: Sequence[Score]) -> Mean | None:
    """Return the suite's mean on a split, with an interval from those of its tasks, whose errors are independent. None without any task."""
    own = {(s.task, s.metric): s for s in scores if s.split == split and s.slice is UNSET}
    shares = _shares(suite)
    found = {key: ranking for key in shares if key in own and (ranking := _ranking(own[key])) is not None}
    missing = [task for task, metric in shares if (task, metric) not in found]
    unranked = {task: str(score.unranked) for (task, _), score in own.items() if task in missing and score.unranked}
    if not found and not unranked:
        return None
    if missing:
        whole = sum(all(key in found for key in term) for term in _terms(suite))
        undefined = {task: str(own[key].reason) for key in shares if (task := key[0]) in missing and key in own and own[key].reason}
        return Mean(split, None, None, None, whole, _why_incomplete(missing, undefined | unranked))
    value, low, high = _mean(shares, found)
    return Mean(split, value, low, high, len(suite.overall.terms), note=_note_on_skips([own[key] for key in shares]))


def _terms(suite: Suite) -> list[list[tuple[str, str]]]:
    """Return task and metric of every entry, term by term."""
    parts = [[entry.partition(":") for entry in term] for term in suite.overall.terms]
    return [[(task, metric or suite.tasks[task].metrics[0]) for task, _, metric in term] for term in parts]


def _shares(suite: Suite) -> dict[tuple[str, str], float]:
    """Return the weight of each entry in the mean."""
    return {key: 1 / len(term) / len(suite.overall.terms) for term in _terms(suite) for key in term}


def _ranking(score: Score) -> AllItems | None:
    """Return the value that a score ranks by, with its interval."""
    if score.unranked or score.value is None:
        return None
    return score.all_items or AllItems(score.value, score.low, score.high)


def _mean(shares: dict[tuple[str, str], float], found: dict[tuple[str, str], AllItems]) -> tuple[float, float | None, float | None]:
    """Return the weighted mean with its interval; metrics of one task share items, so their errors may be correlated."""
    value = sum(share * found[key].value for key, share in shares.items())
    by_task: dict[str, list[tuple[float, float, float, float]]] = {}
    for (task, metric), share in shares.items():
        one = found[task, metric]
        if one.low is None or one.high is None:
            return value, None, None
        by_task.setdefault(task, []).append((share, one.value, one.low, one.high))
    return value, *mean_interval(value, list(by_task.values()))


def _why_incomplete(missing: Sequence[str], reasons: dict[str, str]) -> str:
    """Name the absent tasks, and those without a ranking score with the reason."""
    absent = [task for task in dict.fromkeys(missing) if task not in reasons]
    told = [f"{', '.join(absent)} missing"] if absent else []
    for reason in dict.fromkeys(reasons.values()):
        told.append(f"{', '.join(task for task in reasons if reasons[task] == reason)}: {reason}")
    return f"incomplete: {'; '.join(told)}"


def _note_on_skips(scores: Sequence[Score]) -> str | UnsetType:
    """Note that a mean includes skipped items, with the coverage of each task."""
    shares = {score.task: percent(score.coverage) for score in scores if score.all_items and score.coverage is not UNSET}
    told = ", ".join(f"{task} {share}" for task, share in shares.items())
    return f"over all items, of which some were left out (answered: {told})" if shares else UNSET
