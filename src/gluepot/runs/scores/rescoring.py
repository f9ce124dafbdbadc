"""Scores of a run from its current files: computed from its predictions, or found in this machine's cache.

`scores.json` is stored in the run for people and programs to read, and anyone who can edit predictions can edit it too. It is
therefore compared, and never trusted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from pathlib import Path

from msgspec import UNSET, DecodeError, json

from gluepot.errors import GluepotError
from gluepot.records import Score, Suite
from gluepot.runs.evaluation import SCORES, RunScores, cache_scores, score_run
from gluepot.runs.storage import score_cache
from gluepot.runs.storage.manifest import Manifest, read_manifest
from gluepot.runs.storage.provenance import (
    Provenance,
    abbreviate_list,
    changes,
    data_fingerprints,
    make_provenance,
    prediction_fingerprints,
)
from gluepot.runs.storage.store import RunFolder, find_run
from gluepot.statistics.bootstrap import RESAMPLES
from gluepot.tasks.declarations import load_suite

DATA = "the data of"
TOLERANCE = 1e-6
"""Sums differ in their last digits between machines."""


@dataclass
class RescoredRun:
    """Scores of a run, with notices for the user."""

    scores: RunScores
    notices: list[str] = field(default_factory=list)
    edited: bool = False
    """Whether scores.json has numbers other than those that follow from exactly the inputs it names."""


def rescore(folder: RunFolder) -> RescoredRun:
    """Return the scores of a run, from its predictions and the local data."""
    manifest = read_manifest(folder)
    suite = load_suite(manifest.identity.suite)
    stored, broken = read_stored(folder)
    now = make_provenance(folder, suite, manifest, RESAMPLES)
    scores = _cached(now)
    if scores is None:
        scores = score_run(folder, stored.failed if stored else {})
        cache_scores(scores)
    told = _told(folder, stored, scores, broken)
    facts = [fact for fact in _odd_facts(folder, suite, manifest, now.data) if not (DATA in fact and DATA in (told or ""))]
    return RescoredRun(scores, [*([told] if told else []), *facts], edited=bool(edited(folder, stored, scores)))


def _cached(provenance: Provenance) -> RunScores | None:
    data = score_cache.find(provenance.key)
    try:
        return json.decode(data, type=RunScores) if data else None
    except DecodeError:
        return None


def read_stored(folder: RunFolder) -> tuple[RunScores | None, str | None]:
    """Return the content of `scores.json`, or the reason why it cannot be read."""
    if not (folder.path / SCORES).is_file():
        return None, None
    try:
        return folder.read(SCORES, RunScores), None
    except GluepotError:
        return None, f"{SCORES} is broken, or of another version of gluepot"


def path_notices(path: Path) -> list[str]:
    """Return the notices of the run at a path, or of the one that contains it; empty if there is none."""
    folder = find_run(path)
    try:
        manifest = read_manifest(folder) if folder else None
    except GluepotError:  # manifest.json is a common file name
        manifest = None
    if folder is None or manifest is None:
        return []
    return notices_of(folder, load_suite(manifest.identity.suite), manifest)


def notices_of(folder: RunFolder, suite: Suite, manifest: Manifest) -> list[str]:
    """Return notices on a run whose predictions are about to be used: what has changed since it was made and scored."""
    stored, _ = read_stored(folder)
    known = stored.provenance.predictions if stored and stored.provenance else {}
    now = prediction_fingerprints(folder, manifest.identity)
    changed = [place for place in known if known[place] != now.get(place)]
    told = (
        [f"{folder.path}: the predictions of {abbreviate_list(changed)} are not those that {SCORES} was computed from."] if changed else []
    )
    return [*told, *_odd_facts(folder, suite, manifest, data_fingerprints(suite, manifest.identity))]


def edited(folder: RunFolder, stored: RunScores | None, scores: RunScores) -> list[str]:
    """Return a notice if scores.json has numbers other than those that follow from exactly the inputs it names."""
    old, new = stored.provenance if stored else None, scores.provenance
    told = _told(folder, stored, scores, None) if old and new and old.key == new.key else None
    return [told] if told else []


def _odd_facts(folder: RunFolder, suite: Suite, manifest: Manifest, here: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each inconsistency."""
    identity = manifest.identity
    changed = [place for place in here if place in identity.data and here[place] != identity.data[place]]
    if changed:
        yield f"{folder.path}: {DATA} {abbreviate_list(changed)} has changed since the run; its answers are judged by what is here now."
    if identity.version != suite.version:
        yield f"{folder.path}: made on {identity.suite} {identity.version}; declared here is {suite.version}."
    seeds = {f"seed-{seed}" for seed in identity.seeds}
    others = sorted(path.name for path in (folder.path / "predictions").glob("seed-*") if path.name not in seeds)
    if others:
        yield f"{folder.path}: predictions of {abbreviate_list(others)} are there too, which the manifest does not name."


def _told(folder: RunFolder, stored: RunScores | None, scores: RunScores, broken: str | None) -> str | None:
    """Return a sentence if the stored scores are unreadable, or differ from the computed ones."""
    reasons = [broken] if broken else []
    if stored is not None and not _alike(stored, scores):
        old, new = stored.provenance, scores.provenance
        reasons = changes(old, new) if old and new else [f"{SCORES} does not say what it was made from"]
        reasons = reasons or [f"{SCORES} was edited ({_first_difference(stored, scores)})"]
    return f"{folder.path}: scores were computed anew from the predictions: {'; '.join(reasons)}." if reasons else None


def _alike(a: RunScores, b: RunScores) -> bool:
    return (a.suite, a.version, a.model, a.partial) == (b.suite, b.version, b.model, b.partial) and not _first_difference(a, b)


def _first_difference(stored: RunScores, scores: RunScores) -> str | None:
    """Return the first number in which the two differ, in words; interval bounds are compared only for equal numbers of resamples."""
    drawn = [one.provenance.resamples if one.provenance else None for one in (stored, scores)]
    old, new = (dict(_numbers(one, ends=drawn[0] == drawn[1])) for one in (stored, scores))
    for name in dict.fromkeys([*old, *new]):
        for said, found in zip(old.get(name, [None]), new.get(name, [None]), strict=False):
            if not _same(said, found) or (name in old) != (name in new):
                return f"{name}: {said} instead of {found}"
    return None


def _numbers(scores: RunScores, *, ends: bool) -> Iterator[tuple[str, Sequence[float | None]]]:
    """Yield all displayed numbers of a run, by name."""
    for row in scores.scores:
        yield f"{_place(row)} {row.metric}", [row.value, None if row.spread is UNSET else row.spread, row.n, *[row.low, row.high] * ends]
    for mean in scores.overall:
        yield f"overall {mean.split}", [mean.value, mean.tasks, *[mean.low, mean.high] * ends]
    for seed, result in scores.seeds.items():
        for score in result.scores:
            yield f"{_place(score)} {score.metric} (seed {seed})", [score.value, score.n, *[score.low, score.high] * ends]
        for mean in result.overall:
            yield f"overall {mean.split} (seed {seed})", [mean.value, mean.tasks, *[mean.low, mean.high] * ends]


def _place(row: Score) -> str:
    return f"{row.task} {row.split} {row.slice}" if row.slice else f"{row.task} {row.split}"


def _same(a: float | None, b: float | None) -> bool:
    return a == b or (a is not None and b is not None and isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE))
