"""Settings that adapters declare, as options of a command."""

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from typing import Any

from gluepot.cli.console.output import print_notices
from gluepot.errors import WrongUse
from gluepot.models import ADAPTERS
from gluepot.models.settings import AdapterSetting, option_of

Takers = list[tuple[AdapterSetting, list[str]]]
"""Each setting with the adapters that take it."""


def offered_settings(*, grants: bool = False) -> Takers:
    """Return all settings that users may give, or only those that grant something which requires explicit permission."""
    found: dict[str, tuple[AdapterSetting, list[str]]] = {}
    for info in map(ADAPTERS.__getitem__, ADAPTERS):
        for setting in info.settings:
            if setting.help and (setting.grants or not grants):
                found.setdefault(setting.name, (setting, []))[1].append(info.name)
    return sorted(found.values(), key=lambda taken: taken[0].grants)


def add_settings(parser: ArgumentParser, *, grants: bool = False, without: tuple[AdapterSetting, ...] = ()) -> None:
    """Add an option for each setting, in a group of their own, except those in `without`; former names are hidden from the help."""
    group = parser.add_argument_group("model settings")
    for setting, adapters in offered_settings(grants=grants):
        if setting in without:
            continue
        if setting.option in parser._option_string_actions:  # a plugin's setting cannot replace an option of the command itself
            print_notices(
                [f"{', '.join(adapters)}: its setting {setting.option} is an option of the command already; it cannot be given here."]
            )
            continue
        kind = _kind(setting)
        group.add_argument(setting.option, help=f"for {', '.join(adapters)}: {setting.help}", **kind)
        if setting.former:
            group.add_argument(option_of(setting.former), dest=setting.name, help=SUPPRESS, **kind)


def given_settings(options: Namespace) -> dict[str, Any]:
    """Return the given values, by the settings' names."""
    values = {setting.name: vars(options).get(setting.name) for setting, _ in offered_settings()}
    return {name: value for name, value in values.items() if value is not None}


def _kind(setting: AdapterSetting) -> dict[str, Any]:
    if setting.value_type is bool:
        return {"action": "store_const", "const": True}
    if setting.choices:
        return {"choices": setting.choices, "type": setting.choice_of}
    return {"type": reader(setting), "metavar": setting.metavar}


def reader(setting: AdapterSetting) -> Callable[[str], Any]:
    """Return a type for `add_argument` that reads the setting."""

    def read(text: str) -> Any:
        try:
            return setting.read(text)
        except WrongUse as error:
            raise ArgumentTypeError(str(error)) from None

    return read
