"""Manifest of a run: model, data, code, machine; and whether an old run may be resumed."""

import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from msgspec import Struct, json, to_builtins
from msgspec.structs import replace

from gluepot import __version__
from gluepot.answers.form import shown
from gluepot.data.folders import find_files, fingerprint, has_split, split_name
from gluepot.errors import GluepotError, WrongUse, unknown
from gluepot.masking import MASK, mask_words, masking_notice
from gluepot.models.names import ModelName, ModelRecord, record_model
from gluepot.models.precision_probe import accelerators
from gluepot.models.protocols import protocol_name
from gluepot.models.settings import COMMIT, PRECISION
from gluepot.notices import notify_once
from gluepot.plurals import pluralize
from gluepot.records import Overall, Suite, Task
from gluepot.runs.prediction.plan import Plan
from gluepot.runs.storage.code import answering_code
from gluepot.runs.storage.fingerprints import members_of, model_fingerprint
from gluepot.runs.storage.old_manifests import LONGEST, sanitize_record, upgrade
from gluepot.runs.storage.store import MANIFEST, RunFolder, differences
from gluepot.tasks.declarations import load_suite

LARGEST = 1024**2
"""Maximum size of a manifest in bytes."""
MOST, HIGHEST = 1000, 10**9
"""Maximum number of seeds of a run, as in `evaluate`; maximum of a seed and of the limit."""
_PROSE = ("title", "summary", "domain", "license", "citation", "link", "folder", "votes")
"""Descriptive fields of a declaration, and its folder: no number depends on them."""
_PACKAGES = ("numpy", "scikit-learn", "scipy", "python-crfsuite", "gensim", "torch", "transformers", "msgspec", "rapidfuzz")


class Identity(Struct, frozen=True):
    """Fields that must be the same for a run to be resumed: any difference would give other numbers."""

    suite: str
    version: str
    model: ModelRecord
    model_fingerprint: str | None
    split: str
    seeds: list[int]
    tasks: list[str]
    limit: int | None
    protocol: str
    data: dict[str, str]
    """Maps `task/split` to the fingerprint of its files."""
    code: str
    gluepot: str
    members: list[ModelRecord] = []
    """Models of an ensemble's runs."""
    declaration: str = ""
    """Fingerprint of the tasks as they were declared."""
    precision: str | None = None
    """Compute precision of a neural net: fp32, bf16, fp16, or "auto" for the weights' own; null for other models."""
    commit: str | None = None
    """Commit that the model's name referred to on the hub when the run began; null for models from elsewhere."""


class PeopleFacts(Struct, frozen=True):
    """Origin of human answers, if the run has them: on some items, each the outcome of several votes."""

    items: int
    votes: int
    raters: int
    ties: int
    by: str
    tie_rule: str


class Manifest(Struct, frozen=True):
    """A run's identity, and the circumstances under which it was made."""

    identity: Identity
    partial: bool
    packages: dict[str, str]
    machine: dict[str, str | int]
    command: list[str]
    started: str
    precision: str = ""
    """Reason for the precision: "bf16 tried: died of SIGILL (illegal instruction), so fp32"."""
    kind: str = "gluepot-run"
    people: PeopleFacts | None = None
    """Only for runs of role human."""


def make_manifest(plan: Plan, suite: Suite, model: ModelName, protocol: str, command: Sequence[str], precision: str = "") -> Manifest:
    """Build the manifest of a run; `precision` is the reason for the model's."""
    return Manifest(
        identity=_identity(plan, suite, model, protocol),
        partial=plan.limit is not None,
        packages=package_versions(),
        machine={
            "python": platform.python_version(),
            "system": platform.system(),
            "processor": platform.machine(),
            "cpu": cpu_model(),
            "cores": os.cpu_count() or 1,
            **({"accelerator": " + ".join(found.splitlines())} if (found := accelerators()) else {}),
        },
        command=mask_words(list(command) or sys.argv[1:]),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        precision=precision,
    )


def cpu_model() -> str:
    """Return the processor's model name; numbers may differ in the last digits between two of them."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(("model name", "Model", "cpu model")):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def read_manifest(folder: RunFolder, suite: Suite | None = None) -> Manifest:
    """Read and validate a run's manifest: however it was edited, a limited run stays partial, and no seed or task counts twice.

    `suite` is the run's suite, if it is already loaded and need not be found by its name.
    """
    manifest = folder.read(MANIFEST, Manifest, LARGEST, upgrade)
    identity = manifest.identity
    odd = _oddity(identity, suite)
    if odd:
        raise GluepotError(f"{folder.path / MANIFEST}: {odd} Restore the file, or evaluate again.")
    masked = replace(manifest, identity=_masked(identity), command=mask_words(manifest.command))
    if MASK in str(to_builtins(masked)) and masked != manifest:
        notify_once(f"{folder.path / MANIFEST}: {masking_notice('this file')}")
    return replace(masked, partial=manifest.partial or identity.limit is not None)


def _masked(identity: Identity) -> Identity:
    """Return the identity with masked keys in model names, also in those written elsewhere."""
    return replace(identity, model=sanitize_record(identity.model), members=list(map(sanitize_record, identity.members)))


def _oddity(identity: Identity, suite: Suite | None) -> str | None:
    for name, values in (("seeds", identity.seeds), ("tasks", identity.tasks)):
        if not values or len(set(values)) < len(values):
            return f"{name}: {shown(values)}: some are needed, each once."
        if len(values) > MOST:
            return f"{name}: {len(values):,} are more than any run has."
    if not 0 <= min(identity.seeds) <= max(identity.seeds) <= HIGHEST or not 1 <= (identity.limit or 1) <= HIGHEST or identity.limit == 0:
        return f"seeds {shown(identity.seeds)}, limit {shown(identity.limit)}: no such run can be."
    size = len(identity.model.name)
    if not 0 < size <= LONGEST or len(json.encode(identity.model)) > 8 * LONGEST:
        return f"model: a name of {pluralize(size, 'character')}."
    return _unknown_name(identity, suite)


def _unknown_name(identity: Identity, suite: Suite | None) -> str | None:
    """Return the error for a suite, task, split or protocol that is unknown here; None if all are known."""
    try:
        suite = suite if suite and suite.name == identity.suite else load_suite(identity.suite)
        strange = [name for name in identity.tasks if name not in suite.tasks]
        if strange:
            return f"{suite.name} has {unknown('task', strange[0], suite.tasks)}"
        for name in identity.tasks:
            split_name(suite.tasks[name], identity.split)
        protocol_name(identity.protocol, suite)
    except WrongUse as error:
        return str(error)
    return None


def open_run(folder: RunFolder, manifest: Manifest, *, resume: bool, suite: Suite | None = None) -> Manifest:
    """Start a run or resume it; refuse to mix, naming every difference."""
    if not folder.exists():
        if folder.path.is_dir() and any(folder.path.iterdir()):
            raise WrongUse(f"{folder.path}: the folder is not empty and holds no run. Choose another --out.")
        folder.write(MANIFEST, manifest)
        return manifest
    old = read_manifest(folder, suite)
    changed = list(differences(to_builtins(old.identity), to_builtins(manifest.identity)))
    if changed and folder.forget_start():
        folder.write(MANIFEST, manifest)
        return manifest
    if changed:
        raise WrongUse(f"{folder.path}: this run was made with something else ({'; '.join(changed)}). Choose another --out.")
    if not resume:
        raise WrongUse(f"{folder.path}: a run is there already. Leave out --no-resume to go on with it, or choose another --out.")
    return old


def _identity(plan: Plan, suite: Suite, model: ModelName, protocol: str) -> Identity:
    return Identity(
        suite=suite.name,
        version=suite.version,
        model=record_model(model),
        model_fingerprint=model_fingerprint(model),
        split=plan.split,
        seeds=plan.seeds,
        tasks=[name for job in plan.jobs if job.seed == plan.seeds[0] and job.trial is None for name in job.answers],
        limit=plan.limit,
        protocol=protocol,
        data=_data(plan, suite),
        code=answering_code(model, [suite.tasks[name] for name in dict.fromkeys(_named(plan))]),
        gluepot=__version__,
        members=[read_manifest(member).identity.model for member in members_of(model)],
        declaration=declaration_fingerprint(suite.tasks[name] for name in dict.fromkeys(_named(plan))),
        precision=precision_of(model),
        commit=commit_of(model),
    )


def _named(plan: Plan) -> Iterator[str]:
    for job in plan.jobs:
        yield from (job.learns, *job.answers)


def precision_of(model: ModelName) -> str | None:
    """Return the precision that a model is set to compute in."""
    found = model.setting(PRECISION)
    return None if found is None else str(found)


def commit_of(model: ModelName) -> str | None:
    """Return the hub commit that a model is pinned to."""
    found = model.setting(COMMIT)
    return None if found is None else str(found)


def _data(plan: Plan, suite: Suite) -> dict[str, str]:
    found = {}
    for job in plan.jobs:
        pairs = [(job.learns, "train"), (job.learns, "dev"), *((name, plan.split) for name in job.answers)]
        for name, split in pairs:
            task = suite.tasks[name]
            if f"{name}/{split}" not in found and has_split(task, split):
                found[f"{name}/{split}"] = fingerprint(find_files(task, split)[1])
    return found


def declaration_fingerprint(tasks: Iterable[Task], overall: Overall | None = None) -> str:
    """Return the fingerprint of the tasks' declarations without prose, and of the composition of the suite's mean."""
    declared = [{key: value for key, value in to_builtins(task).items() if key not in _PROSE} for task in tasks]
    return sha256(json.encode([declared, overall], order="deterministic")).hexdigest()[:16]


def package_versions() -> dict[str, str]:
    """Return the installed versions of the packages that numbers depend on."""
    found = {}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
