"""The scores of a run as its files are now: computed from its predictions, or found where this machine keeps what it computed.

`scores.json` lies in the run for people and programs to read, and whoever can edit predictions can edit it too. It is therefore
compared with, and never believed.
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
from gluepot.runs.storage.provenance import Provenance, changes, data_fingerprints, make_provenance, prediction_fingerprints, some
from gluepot.runs.storage.store import RunFolder, run_at
from gluepot.statistics.bootstrap import RESAMPLES
from gluepot.tasks.declarations import load_suite

DATA = "the data of"
TOLERANCE = 1e-6
"""Sums differ in their last digits from one machine to another."""


@dataclass
class RescoredRun:
    """The scores, and what people should be told about them."""

    scores: RunScores
    notices: list[str] = field(default_factory=list)
    edited: bool = False
    """Whether scores.json has other numbers than those that follow from exactly what it names."""


def rescore(folder: RunFolder) -> RescoredRun:
    """The scores of a run, from its predictions and the data that is here."""
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
    """What `scores.json` says, or why nothing can be made of it."""
    if not (folder.path / SCORES).is_file():
        return None, None
    try:
        return folder.read(SCORES, RunScores), None
    except GluepotError:
        return None, f"{SCORES} is broken, or of another version of gluepot"


def path_notices(path: Path) -> list[str]:
    """The same of the run at a path, or of the one that a path leads into; nothing where there is none."""
    folder = run_at(path)
    try:
        manifest = read_manifest(folder) if folder else None
    except GluepotError:  # many things have a manifest.json
        manifest = None
    if folder is None or manifest is None:
        return []
    return notices_of(folder, load_suite(manifest.identity.suite), manifest)


def notices_of(folder: RunFolder, suite: Suite, manifest: Manifest) -> list[str]:
    """What people should be told of a run whose predictions are about to be used: what has changed since it was made and scored."""
    stored, _ = read_stored(folder)
    known = stored.provenance.predictions if stored and stored.provenance else {}
    now = prediction_fingerprints(folder, manifest.identity)
    changed = [place for place in known if known[place] != now.get(place)]
    told = [f"{folder.path}: the predictions of {some(changed)} are not those that {SCORES} was computed from."] if changed else []
    return [*told, *_odd_facts(folder, suite, manifest, data_fingerprints(suite, manifest.identity))]


def edited(folder: RunFolder, stored: RunScores | None, scores: RunScores) -> list[str]:
    """The sentence about scores.json if it has other numbers than those that follow from exactly what it names."""
    old, new = stored.provenance if stored else None, scores.provenance
    told = _told(folder, stored, scores, None) if old and new and old.key == new.key else None
    return [told] if told else []


def _odd_facts(folder: RunFolder, suite: Suite, manifest: Manifest, here: Mapping[str, str]) -> Iterator[str]:
    """What does not fit together, a sentence each."""
    identity = manifest.identity
    changed = [place for place in here if place in identity.data and here[place] != identity.data[place]]
    if changed:
        yield f"{folder.path}: {DATA} {some(changed)} has changed since the run; its answers are judged by what is here now."
    if identity.version != suite.version:
        yield f"{folder.path}: made on {identity.suite} {identity.version}; declared here is {suite.version}."
    seeds = {f"seed-{seed}" for seed in identity.seeds}
    others = sorted(path.name for path in (folder.path / "predictions").glob("seed-*") if path.name not in seeds)
    if others:
        yield f"{folder.path}: predictions of {some(others)} are there too, which the manifest does not name."


def _told(folder: RunFolder, stored: RunScores | None, scores: RunScores, broken: str | None) -> str | None:
    """A sentence if the run says something else than what is shown."""
    reasons = [broken] if broken else []
    if stored is not None and not _alike(stored, scores):
        old, new = stored.provenance, scores.provenance
        reasons = changes(old, new) if old and new else [f"{SCORES} does not say what it was made from"]
        reasons = reasons or [f"{SCORES} was edited ({_first_difference(stored, scores)})"]
    return f"{folder.path}: scores were computed anew from the predictions: {'; '.join(reasons)}." if reasons else None


def _alike(a: RunScores, b: RunScores) -> bool:
    return (a.suite, a.version, a.model, a.partial) == (b.suite, b.version, b.model, b.partial) and not _first_difference(a, b)


def _first_difference(stored: RunScores, scores: RunScores) -> str | None:
    """The first number that the two do not share, in words; the ends of intervals hang on the number of resamples too."""
    drawn = [one.provenance.resamples if one.provenance else None for one in (stored, scores)]
    old, new = (dict(_numbers(one, ends=drawn[0] == drawn[1])) for one in (stored, scores))
    for name in dict.fromkeys([*old, *new]):
        for said, found in zip(old.get(name, [None]), new.get(name, [None]), strict=False):
            if not _same(said, found) or (name in old) != (name in new):
                return f"{name}: {said} instead of {found}"
    return None


def _numbers(scores: RunScores, *, ends: bool) -> Iterator[tuple[str, Sequence[float | None]]]:
    """Everything that is shown of a run, by name."""
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
