"""Results of a run in a card's metadata, in the hub's form, merged with those that the card already has."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from gluepot.records import Score, Suite, Task

Result = dict[str, Any]
"""An entry in `results`: task, dataset, metrics."""
KINDS_THERE = {
    "token-labelling": "token-classification",
    "choice": "multiple-choice",
    "multi-choice": "multiple-choice",
    "cloze": "fill-mask",
    "span-answer": "question-answering",
    "summary": "summarization",
    "regression": "sentence-similarity",
    "word-pair": "feature-extraction",
    "analogy": "feature-extraction",
}
"""Maps our kinds to the hub's names; all others are text classification."""


def join_results(before: Any, name: str, own: Sequence[Result]) -> list[dict[str, Any]]:
    """Return `model-index` with our results below those of others; older ones about the same are removed.

    >>> join_results(None, "my-bert", [])
    [{'name': 'my-bert', 'results': []}]
    """
    index = before or [{"name": name, "results": []}]
    if not isinstance(index, list) or not all(isinstance(one, dict) and isinstance(one.get("results", []), list) for one in index):
        raise ValueError("no list of models with their results")
    ours = {place for result in own for place in _places(result)}
    first, *more = index
    others = [_without(result, ours) for result in first.get("results") or []]
    return [{**first, "results": [*(one for one in others if one), *own]}, *more]


def _places(result: Result) -> list[tuple[Any, ...]]:
    """Return the dataset and the metric of each number in a result."""
    dataset = result["dataset"]
    return [(*(dataset.get(name) for name in ("name", "config", "split")), metric.get("type")) for metric in result["metrics"]]


def _without(result: Any, ours: AbstractSet[tuple[Any, ...]]) -> Any:
    """Return a result of the card without the numbers that are replaced; one in another form is not ours, and unchanged."""
    try:
        places = _places(result)
    except (KeyError, TypeError, AttributeError):
        return result
    kept = [metric for metric, place in zip(result["metrics"], places, strict=True) if place not in ours]
    return {**result, "metrics": kept} if kept else None


def is_ours(result: Any, suite: Suite, version: str) -> bool:
    """Return whether a result came from a run on this suite, this one or another."""
    try:
        own = all("command" in metric["args"] and "n" in metric["args"] for metric in result["metrics"])
        return own and result["dataset"]["name"].startswith(_dataset_name(suite, version))
    except (KeyError, TypeError, AttributeError):
        return False


def _dataset_name(suite: Suite, version: str, task: str = "") -> str:
    return f"{suite.title or suite.name} {version}: {task}"


def make_results(suite: Suite, version: str, scores: Sequence[Score], command: str) -> list[Result]:
    """Return a result for each task and split, with all its metrics."""
    found: dict[tuple[str, str], Result] = {}
    for row in scores:
        task = suite.tasks[row.task]
        result = found.setdefault((row.task, row.split), _result(task, row.split, _dataset_name(suite, version, task.title or task.name)))
        result["metrics"].append(_metric(row, command))
    return list(found.values())


def _result(task: Task, split: str, name: str) -> Result:
    source = next((one for one in task.sources if one.hub), None)
    dataset = {"name": name, "type": source.hub if source and source.hub else task.path, "config": task.name, "split": split}
    return {
        "task": {"type": KINDS_THERE.get(task.kind, "text-classification"), "name": task.title or task.name},
        "dataset": dataset | ({"revision": source.revision} if source and source.revision else {}),
        "metrics": [],
    }


def _metric(row: Score, command: str) -> dict[str, Any]:
    assert row.value is not None, "scores without a value stay out"
    told: dict[str, Any] = {"n": row.n, "command": command}
    if row.low is not None and row.high is not None:
        told["interval_95"] = [round(row.low, 6), round(row.high, 6)]
    return {"type": row.metric, "value": round(row.value, 6), "name": row.metric, "args": told}
