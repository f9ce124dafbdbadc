"""What scores were made from: predictions, data, declarations and code, each by its fingerprint."""

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
    """All that a run's scores follow from."""

    predictions: dict[str, str]
    """`task (seed N)` to the fingerprint of its file."""
    data: dict[str, str]
    """`task/split` to the fingerprint of its files: what was asked, and what the baseline learned from."""
    run: str
    """Model, tasks, split, seeds, limit and protocol, as the manifest has them."""
    training: str
    declaration: str
    code: str
    gluepot: str
    resamples: int

    @property
    def key(self) -> str:
        """The same for all scores that differ in nothing but the number of resamples."""
        return sha256(json.encode(replace(self, resamples=0), order="deterministic")).hexdigest()[:32]


def make_provenance(folder: RunFolder, suite: Suite, manifest: Manifest, resamples: int) -> Provenance:
    """What the scores of a run follow from as its files and the data are now."""
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
    """Of the files that are here; for those that are not, what the run says they were, so that scores of them can still be found."""
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
    """What differs, in words; data is told by its place, so that people can look at it."""
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
    """
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
            yield f"{what} {some(places)} {verb} {how}"


def some(places: Sequence[str]) -> str:
    """
    >>> some(["a", "b"]), some(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 more')
    """
    more = len(places) - NAMED
    return ", ".join(places[:NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _bare(manifest: Manifest) -> list[object]:
    one = manifest.identity
    return [one.suite, one.model.name, one.split, one.seeds, one.tasks, one.limit, one.protocol, manifest.partial]


def _fingerprint(document: object) -> str:
    return sha256(json.encode(document, order="deterministic")).hexdigest()[:16]
