"""What is known of the systems that papers and submissions name: `systems.toml` beside a suite's declaration."""

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
"""Baselines that look at no input; the models of these names are trivial in every suite."""
_HUB = re.compile(r"[\w.-]+/[\w.-]+")
_FAMILIES = {"majority": "Trivial", "random": "Trivial", "random-weighted": "Trivial", "lead": "Trivial", "crf": "Classical"}


class SystemInfo(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """One system. What is not known stays out."""

    name: str
    """The one it is shown by: the full name on its hub where it has one."""
    source: str = ""
    """Where these facts stand."""
    aliases: list[str] = []
    """Other names of the same: in print, in submissions, in records."""
    role: Role = "system"
    family: str = ""
    """Encoder, Decoder, Encoder-decoder, Static vectors, Classical, Trivial, Human."""
    parameters: int | None = None
    data_size: float | None = None
    """Gigabytes of text it was trained on."""
    languages: list[str] = []
    team: str = ""
    link: str = ""
    released: str = ""
    """When it was first made known: a year, a month (`2020-07`) or a day."""

    def __post_init__(self) -> None:
        if self.released and not re.fullmatch(r"(19|20)\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?", self.released):
            raise ValueError(f"released: {self.released!r} is not a date; write 2020, 2020-07 or 2020-07-03")


class SystemsFile(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A suite's `systems.toml`."""

    system: list[SystemInfo] = []
    not_systems: list[str] = []
    """Names in published tables that stand for no system: annotators, controls."""
    prefixes: list[str] = []
    """What the names of submitted files put before the system's."""


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
    """A system by any of its names, with what is known of it; names from a hub (`owner/model`) mean the same in all suites."""
    for prefix in load_systems(suite).prefixes:
        name = name.removeprefix(prefix) or name
    return _declared(suite, name) or _by_model(name)


def is_declared(suite: str, name: str) -> bool:
    """Whether a name means one system to everybody: `systems.toml` has it, or a hub."""
    return bool(_HUB.fullmatch(name)) or _declared(suite, name) is not None


def is_trivial(name: str) -> bool:
    """Whether a name is that of a trivial baseline: one of ours, or one that a suite declares."""
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
    """All names of the system that `name` means."""
    system = find_system(suite, name)
    return {name, system.name, *system.aliases}


def _by_model(name: str) -> SystemInfo:
    """What the name of one of our own models tells."""
    model = SystemInfo(name, role="trivial" if name in TRIVIAL else "system", family=_FAMILIES.get(name, ""))
    if name.startswith("tfidf-"):
        return replace(model, family="Classical")
    return replace(model, family="Static vectors") if name.startswith("vectors:") else model
