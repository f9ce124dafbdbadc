"""Identity of a run's system: its model, the model's bytes and settings, and how it was trained, but not a folder's name."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from gluepot.models.names import PLUS, ModelRecord, model_sources
from gluepot.models.protocols import OWN, protocol_name
from gluepot.runs.storage import manifest
from gluepot.tasks.declarations import load_suite

MEMBERS = 4
"""Maximum number of ensemble members listed in its name."""


class SystemIdentity(Struct, frozen=True, omit_defaults=True):
    """Identity shared by all runs of a system, independent of suite, data and seeds."""

    adapter: str
    argument: str = ""
    """Hub name, program or address; empty where the model's bytes are known, because a path identifies nothing."""
    fingerprint: str = ""
    settings: dict[str, str] = {}
    protocol: str = ""
    """Empty for the suite's own protocol."""


def identity_of(run: manifest.Identity) -> SystemIdentity:
    """Return the identity of the system that made a run."""
    model, fingerprint = run.model, run.model_fingerprint or ""
    return SystemIdentity(
        adapter=model.adapter,
        argument="" if fingerprint else _address(model),
        fingerprint=fingerprint,
        settings={name: str(value) for name, value in model.settings.items()},
        protocol=_protocol(run),
    )


def system_name(run: manifest.Identity) -> str:
    """Return the default name of a run's system: the same for all runs of a system, but not necessarily unique to it."""
    identity = identity_of(run)
    told = [f"{name.replace('_', ' ')} {value}" for name, value in identity.settings.items()]
    told += [f"protocol {identity.protocol}"] if identity.protocol else []
    base = _ensemble(run) if _kind(run.model) == "runs" else _base(run.model, local=is_local(run))
    return f"{base} ({', '.join(told)})" if told else base


def is_local(run: manifest.Identity) -> bool:
    """Return whether the model was read from local files, whose names are arbitrary."""
    return bool(run.model_fingerprint) or any(map(_is_path, model_sources(run.model)))


def differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Describe each field in which two identities differ."""
    for name in SystemIdentity.__struct_fields__:
        before, after = old.get(name), new.get(name)
        if before != after:
            yield f"{name}: {_shown(before)} there, {_shown(after)} here"


def _is_path(argument: str) -> bool:
    return argument.startswith(("/", ".", "~")) or (argument.count("/") > 1 and "@" not in argument)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items()) or "none"
    return str(value or "none")


def _kind(model: ModelRecord) -> str:
    """Return the kind of the model's argument; empty for an unknown model."""
    return model.info.argument_kind if model.info else ""


def _protocol(run: manifest.Identity) -> str:
    """Return the protocol's name; empty for the suite's own, which differs from suite to suite."""
    tuned = run.model.info and run.model.info.tuned
    own = protocol_name(OWN, load_suite(run.suite)) if tuned else OWN
    return "" if run.protocol in (own, OWN) else run.protocol


def _address(model: ModelRecord) -> str:
    """Return an API's model and location, without the secret or transient parts of its address."""
    name, at, url = model.argument.partition("@")
    if _kind(model) != "address" or not at:
        return model.argument
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:  # not a valid URL
        return name
    return f"{name}@{parts.hostname or ''}{port}{parts.path.rstrip('/')}"


def _base(model: ModelRecord, *, local: bool) -> str:
    named, kind = model.argument, _kind(model)
    if kind == "address":
        named = named.partition("@")[0]
    elif kind == "path" and local:
        named = PLUS.join(Path(place).name for place in model_sources(model))
    prefixed = model.info is None or model.info.prefixed
    return f"{model.adapter}:{named}" if prefixed and named else named or model.adapter


def _ensemble(run: manifest.Identity) -> str:
    """Return a name like `ensemble of A ×3 + B` from the names of the members."""
    members = [_base(model, local=any(map(_is_path, model_sources(model)))) for model in run.members]
    members = members or [Path(place.strip()).name for place in run.model.argument.split(",") if place.strip()]
    counted = [name if count == 1 else f"{name} ×{count}" for name, count in Counter(members).items()]
    more = [f"{len(counted) - MEMBERS} more"] if len(counted) > MEMBERS else []
    return f"ensemble of {' + '.join(counted[:MEMBERS] + more)}"
