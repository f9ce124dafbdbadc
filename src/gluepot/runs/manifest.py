"""What a run is: model, data, code, machine; and whether an old run may be continued."""

import os
import platform
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from msgspec import Struct, to_builtins

import gluepot
from gluepot import __version__
from gluepot.data.folders import find_files, fingerprint, has_split
from gluepot.errors import WrongUse
from gluepot.models import ModelName
from gluepot.records import Suite
from gluepot.runs.plan import Plan
from gluepot.runs.store import MANIFEST, RunFolder, differences

_DECIDING = ("records.py", "models", "tasks", "metrics", "statistics", "data/readers.py", "data/examples.py")
"""The code that predictions and scores depend on."""
PARTS, PART = 64, 16_384
"""How many bytes of a large file vouch for the others."""
_PACKAGES = ("numpy", "scikit-learn", "scipy", "python-crfsuite", "gensim", "torch", "transformers", "msgspec", "rapidfuzz")


class Identity(Struct, frozen=True):
    """What must be the same for a run to go on: anything else gives other numbers."""

    suite: str
    version: str
    model: str
    model_fingerprint: str | None
    split: str
    seeds: list[int]
    tasks: list[str]
    limit: int | None
    protocol: str
    data: dict[str, str]
    """`task/split` to the fingerprint of its files."""
    code: str
    gluepot: str
    members: list[str] = []
    """The models of an ensemble's runs."""


class Manifest(Struct, frozen=True):
    """A run's identity and how it came about."""

    identity: Identity
    partial: bool
    packages: dict[str, str]
    machine: dict[str, str | int]
    command: list[str]
    started: str
    kind: str = "gluepot-run"


def make_manifest(plan: Plan, suite: Suite, model: ModelName, protocol: str, command: Sequence[str]) -> Manifest:
    return Manifest(
        identity=_identity(plan, suite, model, protocol),
        partial=plan.limit is not None,
        packages=_packages(),
        machine={
            "python": platform.python_version(),
            "system": platform.system(),
            "processor": platform.machine(),
            "cores": os.cpu_count() or 1,
        },
        command=list(command) or sys.argv[1:],
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def open_run(folder: RunFolder, manifest: Manifest, *, resume: bool) -> Manifest:
    """Start a run or continue it; refuse to mix, naming every difference."""
    if not folder.exists():
        if folder.path.is_dir() and any(folder.path.iterdir()):
            raise WrongUse(f"{folder.path}: the folder is not empty and holds no run. Choose another --out.")
        folder.write(MANIFEST, manifest)
        return manifest
    old = folder.read(MANIFEST, Manifest)
    changed = list(differences(to_builtins(old.identity), to_builtins(manifest.identity)))
    if changed:
        raise WrongUse(f"{folder.path}: this run was made with something else ({'; '.join(changed)}). Choose another --out.")
    if not resume:
        raise WrongUse(f"{folder.path}: a run is there already. Leave out --no-resume to go on with it, or choose another --out.")
    return old


def _identity(plan: Plan, suite: Suite, model: ModelName, protocol: str) -> Identity:
    return Identity(
        suite=suite.name,
        version=suite.version,
        model=str(model),
        model_fingerprint=model_fingerprint(model),
        split=plan.split,
        seeds=plan.seeds,
        tasks=[name for job in plan.jobs if job.seed == plan.seeds[0] and job.trial is None for name in job.answers],
        limit=plan.limit,
        protocol=protocol,
        data=_data(plan, suite),
        code=code_fingerprint(),
        gluepot=__version__,
        members=[RunFolder(run).read(MANIFEST, Manifest).identity.model for run in _member_runs(model)],
    )


def _member_runs(model: ModelName) -> list[Path]:
    """The folders of the runs that an ensemble is made of; none for other models."""
    return [Path(run.strip()) for run in model.argument.split(",") if run.strip()] if model.adapter == "ensemble" else []


def model_fingerprint(model: ModelName) -> str | None:
    """The bytes of the file that a model is read from; of a folder, all files, large ones in part; of an ensemble, all answers."""
    if model.adapter == "ensemble":
        return fingerprint(p for run in _member_runs(model) for p in sorted((run / "predictions").rglob("*.jsonl")))
    path = Path(model.argument)
    if model.argument and path.is_file():
        return fingerprint([path])
    if model.argument and path.is_dir():
        digest = sha256()
        for file in sorted(p for p in path.rglob("*") if p.is_file()):
            digest.update(f"{file.relative_to(path)} {file.stat().st_size}\n".encode())
            digest.update(_some_bytes(file))
        return digest.hexdigest()[:16]
    return None


def _some_bytes(path: Path) -> bytes:
    """All of a small file; of a large one parts at even distances: weights that were trained on differ everywhere."""
    size = path.stat().st_size
    if size <= PARTS * PART:
        return path.read_bytes()
    with path.open("rb") as stream:
        found = []
        for number in range(PARTS):
            stream.seek(number * (size - PART) // (PARTS - 1))
            found.append(stream.read(PART))
        return b"".join(found)


def _data(plan: Plan, suite: Suite) -> dict[str, str]:
    found = {}
    for job in plan.jobs:
        pairs = [(job.learns, "train"), (job.learns, "dev"), *((name, plan.split) for name in job.answers)]
        for name, split in pairs:
            task = suite.tasks[name]
            if f"{name}/{split}" not in found and has_split(task, split):
                found[f"{name}/{split}"] = fingerprint(find_files(task, split)[1])
    return found


def code_fingerprint() -> str:
    """The source that decides about numbers, and the declarations."""
    root = Path(gluepot.__file__).parent
    digest = sha256()
    for name in _DECIDING:
        place = root / name
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _packages() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
