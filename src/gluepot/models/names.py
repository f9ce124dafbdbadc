"""Model names: parsed from the command line, passed between programs and stored in manifests."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from msgspec import Struct

from gluepot.errors import WrongUse, unknown
from gluepot.masking import mask_secrets
from gluepot.models.registration import ADAPTERS, BATCH, AdapterInfo
from gluepot.models.settings import COMMIT, KEY_ADDRESS, AdapterSetting, Value, option_of

PLUS = "+"
"""Separator between a model and the adapter on top of it."""


@dataclass(frozen=True)
class ModelName:
    """A requested model: its adapter, the argument after the colon, and its settings."""

    adapter: str
    argument: str = ""
    settings: tuple[tuple[str, Value], ...] = ()
    made: Any = field(default=None, compare=False, repr=False)
    """The model object itself, where a Python program passed it in."""

    def __str__(self) -> str:
        """Return the name as stored and shown: complete, except that anything resembling a key is masked."""
        return record_model(self).name

    @property
    def info(self) -> AdapterInfo:
        """Declaration of the model's adapter."""
        info = ADAPTERS[self.adapter]
        if self.made is None:
            return info
        return replace(info, batch=getattr(self.made, "batch", BATCH), streams=callable(getattr(self.made, "stream", None)))

    def setting(self, setting: AdapterSetting) -> Value | None:
        """Return the value of a setting, or None if it is unset."""
        return dict(self.settings).get(setting.name)

    def with_setting(self, setting: AdapterSetting, value: Value) -> "ModelName":
        """Return the same model with this value for the setting."""
        others = tuple((name, old) for name, old in self.settings if name != setting.name)
        return replace(self, settings=(*others, (setting.name, value)))


class ModelRecord(Struct, frozen=True):
    """A model as stored in a manifest: without anything resembling a key, and without settings that do not affect predictions."""

    adapter: str
    argument: str
    settings: dict[str, Value]
    name: str
    """The complete name in one line, for display."""

    def __str__(self) -> str:
        return self.name

    @property
    def info(self) -> AdapterInfo | None:
        """Declaration of the adapter; None if it is not known here."""
        return ADAPTERS.get(self.adapter)


def parse_model(text: str, **settings: Value | None) -> ModelName:
    """Parse an adapter and its argument as written on the command line, and check the settings.

    >>> parse_model("vectors:sv.bin")
    ModelName(adapter='vectors', argument='sv.bin', settings=())
    """
    name, _, argument = text.partition(":")
    if name not in ADAPTERS or ADAPTERS[name].live:
        raise WrongUse(unknown("model", name, prompt_names()))
    wanted = ADAPTERS[name].argument
    if bool(wanted) != bool(argument):
        raise WrongUse(f"{name}: write {name}:{wanted}." if wanted else f"{name} takes nothing after a colon.")
    return ModelName(name, argument, check_settings(name, settings))


def prompt_names() -> list[str]:
    """Return the adapters that can be named on the command line."""
    return [name for name in ADAPTERS if not ADAPTERS[name].live]


def check_settings(adapter: str, settings: dict[str, Any]) -> tuple[tuple[str, Value], ...]:
    """Return the settings under their current names; raise WrongUse for those that the adapter does not take."""
    found = []
    for name, value in settings.items():
        setting = ADAPTERS[adapter].setting(name)
        if value is not None and setting is None:
            raise WrongUse(f"{adapter} takes no {option_of(name)}.")
        if value is not None and setting is not None:
            found.append((setting.name, setting.check(value)))
    return tuple(found)


def split_adapter(argument: str) -> tuple[str, str]:
    """Split `BASE+ADAPTER` into a model and the PEFT adapter on top of it, by form alone.

    >>> split_adapter("org/base+./adapter"), split_adapter("org/base")
    (('org/base', './adapter'), ('org/base', ''))
    """
    base, _, upon = argument.rpartition(PLUS)
    return (base, upon) if base and upon else (argument, "")


def model_sources(model: "ModelName | ModelRecord") -> list[str]:
    """Return the files or Hub names that a model consists of: one, or its base and the adapter on top of it."""
    takes = model.info is not None and model.info.takes_adapter
    return [place for place in split_adapter(model.argument) if place] if takes else [model.argument]


def local_model_sources(model: "ModelName | ModelRecord") -> list[str]:
    """Return the same on the machine that has the files: an existing path is one model, whatever its name."""
    return [model.argument] if model.argument and local_path(model.argument).exists() else model_sources(model)


def is_local(argument: str) -> bool:
    """Return whether an argument names a local file or folder rather than a model on the Hub.

    >>> is_local("~/models/bert"), is_local("org/no-such-model")
    (True, False)
    """
    return argument.startswith(("/", ".", "~")) or (argument.count("/") > 1 and "@" not in argument) or local_path(argument).exists()


def local_path(argument: str) -> Path:
    """Return the path that an argument names, with `~` expanded."""
    return Path(argument).expanduser()


def display_name(record: ModelRecord) -> str:
    """Return a model's name for display elsewhere, with paths reduced to their last part.

    >>> display_name(record_model(parse_model("encoder:/home/me/models/my-bert", precision="fp32")))
    'encoder:my-bert'
    """
    info = record.info
    if info is None or info.argument_kind not in ("path", "runs", "image") or not record.argument:
        return record.name
    parts = [part.strip() for part in record.argument.split(",")] if info.argument_kind == "runs" else model_sources(record)
    between = "," if info.argument_kind == "runs" else PLUS
    named = between.join(Path(part).name or part if _looks_local(part, info) else part for part in parts)
    return format_model(record.adapter, named, record.settings)


def _looks_local(argument: str, info: AdapterInfo) -> bool:
    """Decide by form alone: the machine that shows a name need not have the files."""
    if info.argument_kind == "image":
        return argument.startswith((".", "/", "~")) or ".tar" in argument
    hub = info.takes(COMMIT) and argument.count("/") == 1 and not argument.startswith((".", "/", "~")) and not argument.endswith(".gguf")
    return not hub


def grant_api_key(model: ModelName) -> ModelName:
    """Allow the user's key to be sent to the address of a model that was named on the command line itself."""
    _, at, url = model.argument.partition("@http")
    return model.with_setting(KEY_ADDRESS, f"http{url}") if model.info.takes(KEY_ADDRESS) and at else model


def record_model(model: ModelName) -> ModelRecord:
    """Return the manifest entry of a model."""
    info = ADAPTERS.get(model.adapter)
    hidden = {one.name for one in info.settings if not one.named} if info else set()
    settings = {name: mask_secrets(value) if isinstance(value, str) else value for name, value in model.settings if name not in hidden}
    return ModelRecord(model.adapter, mask_secrets(model.argument), settings, format_model(model.adapter, model.argument, settings))


def read_model(record: ModelRecord, **grants: Value | None) -> ModelName:
    """Return the model named by a manifest, with settings granted by the current user; settings that no manifest may hold are refused."""
    info = ADAPTERS[record.adapter]
    for name in record.settings:
        if (setting := info.setting(name)) and not setting.named:
            raise WrongUse(f"{record.adapter}: {setting.option} is no part of a model's name.")
    return ModelName(record.adapter, record.argument, check_settings(record.adapter, {**record.settings, **grants}))


def format_model(adapter: str, argument: str, settings: dict[str, Value]) -> str:
    """Format a model and its settings in one line, with secrets masked.

    >>> format_model("lm", "org/model", {"shots": 5})
    'lm:org/model --shots 5'
    """
    told = "".join(f" {option_of(name)} {value}" for name, value in settings.items())
    return mask_secrets((f"{adapter}:{argument}" if argument else adapter) + told)
