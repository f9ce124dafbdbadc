"""Upgrade of manifests from earlier versions, in which a model was one line of text."""

from re import compile as compile_pattern
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from gluepot.errors import WrongUse
from gluepot.masking import mask_secrets
from gluepot.models.names import ModelName, ModelRecord, check_settings, format_model, parse_model, record_model
from gluepot.models.registration import ADAPTERS
from gluepot.models.settings import Value

LONGEST = 10_000
"""Maximum length of a model's name in characters."""
TOLD = compile_pattern(r" --([a-z-]+) (\S+)$")


def upgrade(document: Any) -> Any:
    """Return a manifest with structured models."""
    identity = document.get("identity") if isinstance(document, dict) else None
    if not isinstance(identity, dict):
        return document
    members = identity.get("members", [])
    return {
        **document,
        "identity": {
            **identity,
            "model": _structured(identity.get("model")),
            **({"members": [_structured(one) for one in members]} if isinstance(members, list) and members else {}),
        },
    }


def _structured(model: Any) -> Any:
    return to_builtins(record_of(model)) if isinstance(model, str) else model


def record_of(text: str) -> ModelRecord:
    """Parse a model from its former line of text, which remains its name; an unknown one becomes its own adapter."""
    try:
        model = _taken_apart(text) if len(text) <= LONGEST else ModelName(text)
    except WrongUse:
        model = ModelName(text)
    return replace(record_model(model), name=text)


def _taken_apart(text: str) -> ModelName:
    """Parse `lm:org/model --shots 5`: the settings followed the argument, for models with prompts."""
    model = parse_model(text)
    argument, settings = model.argument, dict[str, Value]()
    while model.info.draws_shots and (told := TOLD.search(argument)):
        argument = argument[: told.start()]
        settings = {told[1].replace("-", "_"): int(told[2]) if told[2].isdecimal() and len(told[2]) < 10 else told[2], **settings}
    known = ADAPTERS[model.adapter]
    if any((setting := known.setting(name)) and not setting.named for name in settings):
        raise WrongUse(f"{text}: these settings are no part of a model's name.")
    return ModelName(model.adapter, argument, check_settings(model.adapter, settings))


def sanitize_record(record: ModelRecord) -> ModelRecord:
    """Return the record without keys, under a name that matches its content: in the current notation, or in the former one."""
    settings = {name: mask_secrets(value) if isinstance(value, str) else value for name, value in record.settings.items()}
    masked = replace(record, argument=mask_secrets(record.argument), settings=settings, name=mask_secrets(record.name))
    former = {setting.former: setting.name for setting in (record.info.settings if record.info else ()) if setting.former}
    before = {next((old for old, new in former.items() if new == name), name): value for name, value in settings.items()}
    names = [format_model(record.adapter, masked.argument, one) for one in (settings, before)]
    return masked if masked.name in names else replace(masked, name=names[0])
