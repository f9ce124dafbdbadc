"""Import of human runs: votes are recounted, and scores get the wider interval over items and raters."""

from typing import Any

from gluepot.board.models import Score
from gluepot.errors import GluepotError
from gluepot.people.formats.ours import NAME as VOTES
from gluepot.people.human import human_report
from gluepot.records import Suite
from gluepot.runs.storage.manifest import Manifest
from gluepot.runs.storage.store import RunFolder


def judge_people(suite: Suite, folder: RunFolder, manifest: Manifest, scores: list[Score]) -> dict[str, Any]:
    """Set the scores' intervals from the votes and return the votes' statistics; raise GluepotError if answers do not match the votes."""
    people, identity = manifest.people, manifest.identity
    assert people is not None, "asked of runs of people alone"
    task = suite.tasks[identity.tasks[0]]
    report, human = human_report(
        suite, task, [folder.path / VOTES], split=identity.split, by=people.by, ties=people.tie_rule, resamples=200
    )
    given = {line.id: line.output for line in folder.predictions(task.name, identity.split, 0).read()}
    ours = {item: answers[0][0] for item, answers in zip(human.items, human.consensus.answers, strict=True) if answers}
    strange = [item for item, output in given.items() if item not in ours or _plain(ours[item]) != _plain(output)]
    if strange:
        raise GluepotError(f"{folder.path}: the answer to {strange[0]} is not that of the votes in {VOTES}. Run `gluepot human` again.")
    wide = {score.metric: score for score in report.scores}
    for row in scores:
        found = wide.get(row.metric)
        if found is not None and not row.slice and row.value is not None and found.low_raters is not None:
            row.low, row.high = min(found.low_raters, row.value), max(found.high_raters or row.value, row.value)
    alpha = next((one for one in report.agreement if one.value is not None), None)
    return {
        "items": report.items,
        "votes": report.votes,
        "raters": report.raters,
        "votes_an_item": round(report.votes_an_item, 2),
        "by": report.by,
        "ties": report.ties,
        "agreement": alpha and {"measure": alpha.measure, "value": alpha.value, "low": alpha.low_raters, "high": alpha.high_raters},
    }


def _plain(output: Any) -> Any:
    return sorted(output) if isinstance(output, set | frozenset) else list(output) if isinstance(output, tuple) else output
