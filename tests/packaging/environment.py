"""Wheels, and environments that have nothing but what is installed into them: as on a machine without a checkout, and without a network."""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def build(project: Path, to: Path, target: str = "wheel") -> Path:
    """A wheel or source archive of a project, by the build backend that its pyproject.toml names."""
    before = set(to.glob("*"))
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(to)], cwd=project, check=True, capture_output=True)
    (made,) = set(to.glob("*")) - before
    return made


class Environment:
    """A virtual environment with some wheels and what they declare to need, a home of its own, and an empty folder to work in."""

    def __init__(self, place: Path, wheels: Iterable[Path], extras: Iterable[str] = ()) -> None:
        self.place, self.home, self.work = place, place / "home", place / "work"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", place / "venv"], check=True)
        self.home.mkdir()
        self.work.mkdir()
        pip = [sys.executable, "-m", "pip", "--quiet", "--python", str(self.bin / "python")]
        subprocess.run([*pip, "install", "--no-deps", "--no-index", *map(str, wheels)], check=True)
        installed = list(distributions(path=[str(self.packages)]))
        seen = {(canonicalize_name(one.name), "") for one in installed}
        for found in (found for one in installed for found in needed(one, ["", *extras], seen)):
            link(found, self.packages)

    @property
    def bin(self) -> Path:
        return self.place / "venv" / "bin"

    @property
    def packages(self) -> Path:
        return next((self.place / "venv" / "lib").glob("python*")) / "site-packages"

    def run(self, *words: str, code: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
        """A program of the environment, in the empty folder; nothing of the caller's settings is known there."""
        settings = {"PATH": f"{self.bin}{os.pathsep}{os.defpath}", "HOME": str(self.home), "LANG": "C.UTF-8", **more}
        done = subprocess.run([str(self.bin / words[0]), *words[1:]], cwd=self.work, env=settings, capture_output=True, text=True)
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def gluepot(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        return self.run("gluepot", *words, code=code)


def needed(package: Distribution, extras: Iterable[str], seen: set[tuple[str, str]]) -> Iterator[Distribution]:
    """What a package declares to need, and what that needs in turn, as it is installed where the tests run."""
    for need in map(Requirement, package.requires or ()):
        if need.marker is not None and not any(need.marker.evaluate({"extra": extra}) for extra in extras):
            continue
        for extra in {"", *need.extras} - {extra for name, extra in seen if name == canonicalize_name(need.name)}:
            seen.add((canonicalize_name(need.name), extra))
            with suppress(PackageNotFoundError):  # what does without it here does without it there
                found = distribution(need.name)
                yield found
                yield from needed(found, [extra], seen)


def link(found: Distribution, packages: Path) -> None:
    """An installed package put into another environment, by links to what lies beside its own description."""
    beside = Path(str(found.locate_file("")))
    for top in sorted({Path(file).parts[0] for file in found.files or ()}):
        if top not in ("..", "__pycache__") and not (packages / top).exists():
            (packages / top).symlink_to(beside / top)
