"""Metadata of the systems named in papers and submissions: `systems.toml` next to a suite's declaration."""

import re
import tomllib
from functools import cache
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from gluepot.errors import WrongUse
from gluepot.tasks.search_path import find_folder, suite_folders

Role = Literal["system", "trivial", "human"]
TRIVIAL = ("majority", "random", "random-weighted")
"""Baselines that ignore the input; models with these names are trivial in every suite."""
_HUB = re.compile(r"[\w.-]+/[\w.-]+")
_FAMILIES = {"majority": "Trivial", "random": "Trivial", "random-weighted": "Trivial", "lead": "Trivial", "crf": "Classical"}


class SystemInfo(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Metadata of a system. Unknown fields are omitted."""

    name: str
    """Display name: the full name on its hub, if it has one."""
    source: str = ""
    """Source of the metadata."""
    aliases: list[str] = []
    """Other names of the system: in print, in submissions, in records."""
    role: Role = "system"
    family: str = ""
    """One of Encoder, Decoder, Encoder-decoder, Static vectors, Classical, Trivial, Human."""
    parameters: int | None = None
    data_size: float | None = None
    """Training text in gigabytes."""
    languages: list[str] = []
    team: str = ""
    link: str = ""
    released: str = ""
    """Release date: a year, a month (`2020-07`) or a day."""

    def __post_init__(self) -> None:
        if self.released and not re.fullmatch(r"(19|20)\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?", self.released):
            raise ValueError(f"released: {self.released!r} is not a date; write 2020, 2020-07 or 2020-07-03")


class SystemsFile(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Contents of a suite's `systems.toml`."""

    system: list[SystemInfo] = []
    not_systems: list[str] = []
    """Names in published tables that are not systems: annotators, controls."""
    prefixes: list[str] = []
    """Prefixes of the system's name in the names of submitted files."""


@cache
def load_systems(suite: str) -> SystemsFile:
    path = find_folder(suite) / "systems.toml"
    if not path.is_file():
        return SystemsFile()
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), SystemsFile)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise WrongUse(f"{suite}/systems.toml: {error}") from error


def find_system(suite: str, name: str) -> SystemInfo:
    """Return the metadata of a system by any of its names; Hub names (`owner/model`) have the same meaning in all suites."""
    for prefix in load_systems(suite).prefixes:
        name = name.removeprefix(prefix) or name
    return _declared(suite, name) or _by_model(name)


def is_declared(suite: str, name: str) -> bool:
    """Whether a name identifies a system uniquely: it is in `systems.toml` or is a Hub name."""
    return bool(_HUB.fullmatch(name)) or _declared(suite, name) is not None


def is_trivial(name: str) -> bool:
    """Whether a name is that of a trivial baseline, built-in or declared by a suite."""
    declared = (system for suite in suite_folders() for system in load_systems(suite).system if system.role == "trivial")
    return name in TRIVIAL or any(name == system.name or name in system.aliases for system in declared)


def _declared(suite: str, name: str) -> SystemInfo | None:
    others = [other for other in suite_folders() if other != suite] if "/" in name else []
    for known in (suite, *others):
        for system in load_systems(known).system:
            if name == system.name or name in system.aliases:
                return system
    return None


def names_of(suite: str, name: str) -> set[str]:
    """Return all names of the system called `name`."""
    system = find_system(suite, name)
    return {name, system.name, *system.aliases}


def _by_model(name: str) -> SystemInfo:
    """Return the metadata implied by the name of a built-in model."""
    model = SystemInfo(name, role="trivial" if name in TRIVIAL else "system", family=_FAMILIES.get(name, ""))
    if name.startswith("tfidf-"):
        return replace(model, family="Classical")
    return replace(model, family="Static vectors") if name.startswith("vectors:") else model
