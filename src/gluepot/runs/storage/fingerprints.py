"""Fingerprints of models by content: what a run was made with, wherever its files are now."""

from collections.abc import Iterable
from hashlib import sha256

from gluepot.data.folders import fingerprint
from gluepot.files import sample_bytes
from gluepot.models.live import live_fingerprint
from gluepot.models.names import PLUS, ModelName, local_model_sources, local_path
from gluepot.models.pretrained.hub import model_files
from gluepot.models.settings import COMMIT
from gluepot.runs.storage.store import RunFolder


def member_folders(argument: str) -> list[RunFolder]:
    """Return the runs that `ensemble:RUN,RUN…` names."""
    return [RunFolder(local_path(run.strip())) for run in argument.split(",") if run.strip()]


def members_of(model: ModelName) -> list[RunFolder]:
    """Return the runs whose answers a model combines."""
    return member_folders(model.argument) if model.info.argument_kind == "runs" else []


def model_fingerprint(model: ModelName) -> str | None:
    """Return the fingerprint of a model's file; for a folder, of all files, large ones in part; for an ensemble, of all answers."""
    if members := members_of(model):
        return _fingerprint_answers(members)
    if model.info.live:
        return live_fingerprint(model)
    found = [_fingerprint_place(model, place) for place in local_model_sources(model)]
    if len(found) == 1 or not any(found):
        return found[0]
    named = [print_of or place for print_of, place in zip(found, local_model_sources(model), strict=True)]
    return sha256(PLUS.join(named).encode()).hexdigest()[:16]


def _fingerprint_place(model: ModelName, place: str) -> str | None:
    path = local_path(place)
    if place and path.is_file():
        return fingerprint([path])
    if place and path.is_dir():
        digest = sha256()
        for file in model_files(path) if model.info.takes(COMMIT) else sorted(p for p in path.rglob("*") if p.is_file()):
            digest.update(f"{file.relative_to(path)} {file.stat().st_size}\n".encode())
            digest.update(sample_bytes(file))
        return digest.hexdigest()[:16]
    return None


def _fingerprint_answers(runs: Iterable[RunFolder]) -> str:
    digest = sha256()
    for file in (file for run in runs for file in run.prediction_files()):
        digest.update(file.data())
    return digest.hexdigest()[:16]
