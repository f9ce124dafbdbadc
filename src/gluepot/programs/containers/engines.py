"""Container engines: which one is available, and its images."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from gluepot.errors import GluepotError

ENGINES = ("docker", "podman")
PATIENCE = 60
"""Timeout in seconds for an engine's reply."""

FETCHING = 1800
"""Timeout in seconds for fetching an image."""


@dataclass(frozen=True)
class ContainerEngine:
    """Docker or Podman, accessed through its client."""

    name: str
    starter: str
    version: str = ""

    def ask(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.starter, *words], capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)

    def image_id(self, image: str) -> str:
        """Return the id of a local image, which stays valid if its name is reassigned; nothing is fetched."""
        told = self.ask("image", "inspect", "--format", "{{.Id}}", image)
        found = told.stdout.strip()
        if told.returncode or not found:
            raise GluepotError(f"{self.name} has no image {image!r}. Fetch or build it: {self.name} pull {image}.")
        return found if ":" in found else f"sha256:{found}"

    def fetch(self, image: str) -> str:
        """Return the id of an image referenced by its digest; it is fetched unless it is available."""
        if self.ask("image", "inspect", "--format", "{{.Id}}", image).returncode:
            told = subprocess.run(
                [self.starter, "pull", "--quiet", image], capture_output=True, text=True, timeout=FETCHING, stdin=subprocess.DEVNULL
            )
            if told.returncode:
                said = [line.removeprefix("Error: ") for line in told.stderr.strip().splitlines()]
                raise GluepotError(
                    f"{self.name} cannot fetch {image}{f': {said[-1]}.' if said else '.'} "
                    "It must be in its registry under that digest, for everybody to fetch; push it again, or name the digest that it has."
                )
        return self.image_id(image)

    def load(self, path: Path) -> str:
        """Load an image from a file and return its id."""
        told = self.ask("load", "--quiet", "--input", str(path))
        named = re.findall(r"Loaded image(?: ID|\(s\))?: (\S+)", told.stdout)
        if told.returncode or not named:
            said = told.stderr.strip().splitlines()
            raise GluepotError(f"{path}: {self.name} cannot load it as an image{f': {said[-1]}' if said else '.'}")
        return self.image_id(named[-1])


def find_engine(wanted: str = "auto") -> ContainerEngine:
    """Return the wanted engine, or the first that responds; raise GluepotError with the reason for each that does not."""
    refusals = []
    for name in ENGINES if wanted == "auto" else (wanted,):
        found = try_engine(name)
        if isinstance(found, ContainerEngine):
            return found
        refusals.append(found)
    raise GluepotError(
        f"no container engine runs here. {' '.join(refusals)} Start one, or give the image as a file, which bubblewrap runs without any: "
        "docker save IMAGE -o image.tar; container:image.tar."
    )


def try_engine(name: str) -> ContainerEngine | str:
    """Return the engine, or the reason why it is not available."""
    starter = shutil.which(name)
    if starter is None:
        return f"{name}: not installed."
    form = "{{.Server.Version}}" if name == "docker" else "{{.Client.Version}}"
    try:
        told = ContainerEngine(name, starter).ask("version", "--format", form)
        if name == "podman" and not told.returncode:  # podman's client is the engine: its store must be usable as well
            told = ContainerEngine(name, starter).ask("info", "--format", "{{.Version.Version}}")
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{name}: {error}."
    if told.returncode:
        said = [line.strip() for line in told.stderr.splitlines() if line.strip()]
        why = said[-1] if said else f"ended with code {told.returncode}"
        return f"{name}: {why if why.endswith(('.', '?')) else f'{why}.'}"
    return ContainerEngine(name, os.path.abspath(starter), told.stdout.strip())
