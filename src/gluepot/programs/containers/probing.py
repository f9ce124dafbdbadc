"""Probe of a container engine: whether it can start anything within our limits, tried with a program that does nothing."""

import io
import shutil
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path

from gluepot.errors import GluepotError
from gluepot.programs.containers.engines import PATIENCE, ContainerEngine
from gluepot.programs.containers.sandbox import ContainerSandbox
from gluepot.programs.execution import Program, run_program

EMPTY = "gluepot-empty:1"
"""An image without files: the probe runs a program of the host."""
SYSTEM = ("/usr", "/bin", "/lib", "/lib64")


def probe_container(sandbox: ContainerSandbox) -> ContainerSandbox:
    """Return the sandbox if its engine can start something in one like it: otherwise the machine is at fault, not the image."""
    engine = sandbox.engine
    mounts = tuple(place for place in SYSTEM if Path(place).is_dir())
    empty = replace(sandbox, image=empty_image(engine), mounts=mounts)
    outcome = run_program(empty.fence(Program(("probe", shutil.which("true") or "/bin/true"))))
    if outcome.code:
        raise GluepotError(f"{engine.name} replies, and starts nothing. {outcome.said[-1] if outcome.said else ''}".rstrip())
    return sandbox


def empty_image(engine: ContainerEngine) -> str:
    """Return the id of the empty image, which is created if the engine has none."""
    if engine.ask("image", "inspect", EMPTY).returncode:
        words = [engine.starter, "import", "-", EMPTY]
        made = subprocess.run(words, input=_empty_archive(), capture_output=True, timeout=PATIENCE)
        if made.returncode:
            said = made.stderr.decode("utf-8", "replace").strip().splitlines()
            raise GluepotError(f"{engine.name} cannot make an image{f': {said[-1]}' if said else '.'}")
    return engine.image_id(EMPTY)


def _empty_archive() -> bytes:
    stream = io.BytesIO()
    tarfile.open(fileobj=stream, mode="w").close()
    return stream.getvalue()
