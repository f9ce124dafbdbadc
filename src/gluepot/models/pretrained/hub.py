"""Resolution of names on the model Hub to commits, through the Hub or its cache, within seconds even without a network."""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

from gluepot.errors import GluepotError, WrongUse
from gluepot.models.names import PLUS, ModelName, is_local, local_model_sources, local_path
from gluepot.models.registration import AdapterInfo
from gluepot.models.settings import COMMIT, REVISION

PATIENCE = 2.0
"""Timeout in seconds for resolving a name to a commit; without a network, DNS may take half a minute to fail."""
OFFLINE = "HF_HUB_OFFLINE"
FULL_HASH = 40
CONFIG, ADAPTER_CONFIG = "config.json", "adapter_config.json"
LIBRARIES = ("torch", "transformers")


def resolve_commit(model: ModelName, before: str | None = None) -> ModelName:
    """Return the model with the commit that its name resolves to now; `before` is that of the run being resumed or repeated."""
    places = local_model_sources(model)
    if not model.info.takes(COMMIT) or not model.argument or all(map(is_local, places)):
        return model
    _check_libraries(model.info)
    return model.with_setting(COMMIT, before or PLUS.join(_commits(model, places)))


def _commits(model: ModelName, places: list[str]) -> Iterator[str]:
    """Yield the commits of models on the Hub; a revision applies to the model, not to the adapter on top of it."""
    revisions = [str(model.setting(REVISION) or "") or None, None]
    for place, revision, file in zip(places, revisions, (CONFIG, ADAPTER_CONFIG), strict=False):
        yield "" if is_local(place) else find_commit(model.adapter, place, revision, file)


def _check_libraries(info: AdapterInfo) -> None:
    """Raise if a library is missing: a model that cannot run here is not looked up either."""
    if info.needs and (missing := next((name for name in LIBRARIES if find_spec(name) is None), None)):
        raise GluepotError(f"{info.name} needs {missing}: pip install 'gluepot[{info.needs}]'.")


def find_commit(adapter: str, name: str, revision: str | None = None, file: str = CONFIG) -> str:
    """Return the commit of a branch or tag, by default the main one, from the Hub or else from its cache."""
    kept = _cached(name, revision, file)
    if kept and revision and len(revision) == FULL_HASH:
        return kept
    told: str | Exception = "" if os.environ.get(OFFLINE) == "1" else _ask(name, revision)
    if isinstance(told, str) and told:
        return told
    if isinstance(told, Exception) and _is_refusal(told):
        raise GluepotError(_unknown_name(adapter, name, revision)) from told
    if not kept:
        raise GluepotError(_unreached(adapter, name, revision)) from (told if isinstance(told, Exception) else None)
    stay_offline()
    return kept


def stay_offline() -> None:
    """Make this process and its workers load from the cache: each of the many files would wait for the network again."""
    from huggingface_hub import constants

    os.environ[OFFLINE] = "1"
    constants.HF_HUB_OFFLINE = True


def _cached(name: str, revision: str | None, file: str) -> str | None:
    """Return the commit in the Hub's cache for a name; a model counts as cached if its configuration is."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = try_to_load_from_cache(name, file, revision=revision)
    except HFValidationError:
        return None
    return Path(found).parent.name if isinstance(found, str) else None


def _ask(name: str, revision: str | None) -> str | Exception:
    """Return the Hub's answer or the error. DNS lookups cannot be interrupted, so the request runs in a thread of its own."""
    from huggingface_hub import HfApi

    found: list[Any] = []

    def ask() -> None:
        try:
            found.append(str(HfApi().model_info(name, revision=revision, timeout=PATIENCE).sha or ""))
        except Exception as error:
            found.append(error)

    asking = Thread(target=ask, daemon=True)
    asking.start()
    asking.join(PATIENCE)
    return found[0] if found else TimeoutError(f"no answer within {PATIENCE:g} s")


def _is_refusal(error: Exception) -> bool:
    """Return whether the Hub reports that there is no such model; a model visible only to members gives the same response."""
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    return isinstance(error, RepositoryNotFoundError | RevisionNotFoundError | HFValidationError)


def _unknown_name(adapter: str, name: str, revision: str | None) -> str:
    what = f"{name!r}" + (f" at the revision {revision!r}" if revision else "")
    return f"{adapter}: no model {what}: there is no such folder, and the hub has none, or shows it to members only. Check the name."


def _unreached(adapter: str, name: str, revision: str | None) -> str:
    what = f"{name!r}" + (f" at the revision {revision!r}" if revision else "")
    offline = f"{OFFLINE} is set" if os.environ.get(OFFLINE) == "1" else f"the hub did not answer within {PATIENCE:g} s"
    return (
        f"{adapter}: no model {what}: there is no such folder, it is not in the hub's cache, and {offline}. "
        "Check the name, or get the model where there is a network and name its folder."
    )


def model_files(folder: Path) -> list[Path]:
    """Return the files directly in a model's folder: transformers reads none below it, and the path may be a whole tree by mistake."""
    return sorted(path for path in folder.iterdir() if path.is_file())


def check_place(model: ModelName) -> None:
    """Raise if a pretrained model named by a path is missing, before anything is read or written."""
    base, *upon = local_model_sources(model)
    if not model.info.takes(COMMIT):
        return
    for place in upon:
        if is_local(place) and not (local_path(place) / ADAPTER_CONFIG).is_file():
            raise GluepotError(f"{model.adapter}: {place} has no {ADAPTER_CONFIG}, so it is no PEFT adapter.")
    if not is_local(base):
        return
    if model.setting(REVISION):
        raise WrongUse(f"{model.adapter}: {base} is a path, which has no revisions as names on the hub have: leave out {REVISION.option}.")
    path = local_path(base)
    if path.is_file() and path.suffix == ".gguf" and model.info.tells_likelihoods:
        return
    if not (path / "config.json").is_file():
        from gluepot.models.pretrained import no_model

        raise GluepotError(no_model(model.adapter, base))
