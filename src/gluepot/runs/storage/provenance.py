"""Provenance of scores: fingerprints of predictions, data, declarations and code."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from msgspec import Struct, json
from msgspec.structs import replace

from gluepot import __version__
from gluepot.data.folders import find_files, fingerprint, has_split
from gluepot.records import Suite
from gluepot.runs.scores.training_summary import read_searches, read_trained
from gluepot.runs.storage.code import scoring_code
from gluepot.runs.storage.manifest import Identity, Manifest, declaration_fingerprint
from gluepot.runs.storage.store import RunFolder

NAMED = 3
"""Places that a sentence names before it only counts."""


class Provenance(Struct, frozen=True):
    """All inputs that a run's scores depend on."""

    predictions: dict[str, str]
    """Maps `task (seed N)` to the fingerprint of its file."""
    data: dict[str, str]
    """Maps `task/split` to the fingerprint of its files: the evaluated data, and the data that the baseline learned from."""
    run: str
    """Fingerprint of model, tasks, split, seeds, limit and protocol in the manifest."""
    training: str
    declaration: str
    code: str
    gluepot: str
    resamples: int

    @property
    def key(self) -> str:
        """Key that is the same for all scores that differ only in the number of resamples."""
        return sha256(json.encode(replace(self, resamples=0), order="deterministic")).hexdigest()[:32]


def make_provenance(folder: RunFolder, suite: Suite, manifest: Manifest, resamples: int) -> Provenance:
    """Return the inputs of a run's scores, from its current files and data."""
    identity = manifest.identity
    return Provenance(
        predictions=prediction_fingerprints(folder, identity),
        data=data_fingerprints(suite, identity),
        run=_fingerprint(_bare(manifest)),
        training=_fingerprint([read_trained(folder, identity.seeds), read_searches(folder, identity.seeds)]),
        declaration=declaration_fingerprint(suite.tasks.values(), suite.overall),
        code=scoring_code(list(suite.tasks.values())),
        gluepot=__version__,
        resamples=resamples,
    )


def prediction_fingerprints(folder: RunFolder, identity: Identity) -> dict[str, str]:
    files = {(name, seed): folder.predictions(name, identity.split, seed) for seed in identity.seeds for name in identity.tasks}
    return {f"{name} (seed {seed})": file.fingerprint() for (name, seed), file in files.items() if file.exists()}


def data_fingerprints(suite: Suite, identity: Identity) -> dict[str, str]:
    """Return the fingerprints of local files; for missing ones those recorded in the run, so that its scores can still be found."""
    found = {}
    for name in identity.tasks:
        learned = suite.tasks[name].trained_on or name
        for task, split in ((name, identity.split), (learned, "train"), (learned, "dev")):
            place = f"{task}/{split}"
            if place not in found and has_split(suite.tasks[task], split):
                found[place] = fingerprint(find_files(suite.tasks[task], split)[1])
            elif place not in found and place in identity.data:
                found[place] = identity.data[place]
    return found


def changes(old: Provenance, new: Provenance) -> list[str]:
    """Describe the differences; data is named by its place, for users to inspect."""
    found = [
        *_different("the predictions of", old.predictions, new.predictions),
        *_different("the data of", old.data, new.data),
    ]
    others = (("run", "the manifest has"), ("training", "the records of the training have"), ("declaration", "the suite's declaration has"))
    found += [f"{words} changed" for name, words in others if getattr(old, name) != getattr(new, name)]
    if (old.code, old.gluepot) != (new.code, new.gluepot):
        found.append("gluepot has changed")
    return found


def _different(what: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each sort of difference.

    >>> list(_different("the data of", {"a/test": "1", "b/test": "2"}, {"a/test": "3", "c/test": "4"}))
    ['the data of a/test has changed', 'the data of b/test is gone', 'the data of c/test is new']
    """
    sorts = (
        ("changed", [place for place in old if place in new and old[place] != new[place]]),
        ("gone", [place for place in old if place not in new]),
        ("new", [place for place in new if place not in old]),
    )
    plural = what.endswith("predictions of")
    for how, places in sorts:
        if places:
            verb = ("have" if plural else "has") if how == "changed" else "are" if plural else "is"
            yield f"{what} {abbreviate_list(places)} {verb} {how}"


def abbreviate_list(places: Sequence[str]) -> str:
    """Join the first places, and count the others.

    >>> abbreviate_list(["a", "b"]), abbreviate_list(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 more')
    """
    more = len(places) - NAMED
    return ", ".join(places[:NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _bare(manifest: Manifest) -> list[object]:
    one = manifest.identity
    return [one.suite, one.model.name, one.split, one.seeds, one.tasks, one.limit, one.protocol, manifest.partial]


def _fingerprint(document: object) -> str:
    return sha256(json.encode(document, order="deterministic")).hexdigest()[:16]
