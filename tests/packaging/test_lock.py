"""The lock: every version that set-up takes is pinned, and fits what is declared."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "constraints.txt"


def pins() -> dict[str, list[Requirement]]:
    """The lock's lines by the package that they pin: several where Pythons or systems differ."""
    found: dict[str, list[Requirement]] = {}
    for line in LOCK.read_text().splitlines():
        if text := line.partition("#")[0].strip():
            pin = Requirement(text)
            found.setdefault(canonicalize_name(pin.name), []).append(pin)
    return found


def locked_extras() -> list[str]:
    """The extras that `make lock` pins: all but those that pin what others take newer."""
    named = re.search(r"^EXTRAS := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert named
    return named[1].split()


def test_every_extra_is_pinned_but_one_that_wants_an_environment_of_its_own() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(extras) - set(locked_extras()) == {"vllm"}


def declared() -> list[Requirement]:
    """What the package, its extras and its build want, and what tools/lock.in adds."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = settings["project"]
    lines = [*settings["build-system"]["requires"], *project["dependencies"]]
    lines += [line for name in locked_extras() for line in project["optional-dependencies"][name]]
    more = (line.partition("#")[0].strip() for line in (ROOT / "tools" / "lock.in").read_text().splitlines())
    return [Requirement(line) for line in (*lines, *filter(None, more))]


def made_with_pip() -> list[str]:
    """What the Makefile installs beside the package itself."""
    lines = re.findall(r"\$\(PIP\) (.+)", (ROOT / "Makefile").read_text())
    return [word for line in lines if "--no-deps" not in line for word in re.sub(r"--editable '[^']*'", "", line).split()]


@pytest.mark.parametrize("wanted", declared(), ids=str)
def test_every_requirement_is_pinned_to_a_version_that_fits(wanted: Requirement) -> None:
    pinned = pins().get(canonicalize_name(wanted.name), [])
    assert pinned, f"{wanted} is not in {LOCK.name}: run `make lock UPGRADE=`"
    for pin in pinned:
        (only,) = pin.specifier
        assert only.operator == "=="
        assert wanted.specifier.contains(only.version, prereleases=True), f"{pin} is not {wanted}: run `make lock UPGRADE=`"


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_no_python_and_no_system_gets_two_versions_of_a_package(python: str, system: str) -> None:
    here = {"python_version": python, "python_full_version": f"{python}.1", "sys_platform": system, "platform_machine": "x86_64"}
    for name, several in pins().items():
        assert sum(pin.marker is None or pin.marker.evaluate(dict(here)) for pin in several) <= 1, name


def test_what_the_makefile_installs_is_pinned() -> None:
    names = [Requirement(word).name for word in made_with_pip()]
    assert names
    assert {canonicalize_name(name) for name in names} <= pins().keys()


def test_the_lock_names_no_place_to_get_packages_from() -> None:
    text = LOCK.read_text()
    assert "://" not in text
    assert "--" not in text


def test_set_up_and_makefile_install_by_the_lock() -> None:
    assert not re.findall(r"-m pip", (ROOT / "tools" / "setup").read_text()), "by tools/pip, which has the lock"
    assert not re.findall(r"^\t.*pip install.*$", (ROOT / "Makefile").read_text(), re.MULTILINE), "by $(PIP), which has the lock"


def test_builds_in_other_directories_get_the_lock_too(tmp_path: Path) -> None:
    place = tmp_path / "with a blank"
    for file in ("tools/pip", "constraints.txt"):
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, place / file)
    (place / ".venv" / "bin").mkdir(parents=True)
    python = place / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\n[ "$2" = pip ] || exec {sys.executable} "$@"\ncd / && exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    run = subprocess.run([place / "tools" / "pip", "download", "--no-index", "--no-deps", "gluepot-none"], capture_output=True, text=True)
    assert "constraint" not in run.stderr, run.stderr
    assert "gluepot-none" in run.stderr
