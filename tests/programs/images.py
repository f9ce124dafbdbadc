"""Small images for tests, built without an engine: a shell with its libraries, and a shell script."""

import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
from pathlib import Path

from gluepot.programs.containers.engines import ContainerEngine
from gluepot.programs.containers.sandbox import ContainerSandbox
from gluepot.programs.execution import Program, run_program

SHELL, NETWORKER = "/bin/dash", "/bin/bash"
"""A minimal shell, and one that can open connections."""
ANSWER = r"""
size=1
while read -r line; do
    id=${line#*\"id\": \"}; id=${id%%\"*}
    label=${line#*\"labels\": [\"}; label=${label%%\"*}
    printf '{"id": "%s", "prediction": "%s"}\n' "$id" "$label"
done
"""
"""Program that answers every item with the first label."""

MARK = {"made-by-tests": str(os.getpid())}
"""Label of images built by this process, as other processes may use the same engine."""


def shell_files(shell: str = SHELL) -> list[str]:
    told = subprocess.run(["ldd", shell], capture_output=True, text=True, check=True).stdout
    return [shell, *re.findall(r"(/\S+) \(0x", told)]


def layer(files: dict[str, bytes], links: dict[str, str] | None = None, hard: dict[str, str] | None = None) -> bytes:
    """Return the bytes of a layer; names that end with a slash are folders."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name.rstrip("/"))
            member.mode, member.size = 0o755, len(data)
            member.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            tar.addfile(member, io.BytesIO(data))
        for kind, named in ((tarfile.SYMTYPE, links or {}), (tarfile.LNKTYPE, hard or {})):
            for name, target in named.items():
                member = tarfile.TarInfo(name)
                member.type, member.linkname = kind, target
                tar.addfile(member)
    return stream.getvalue()


def shell_layer(program: str = ANSWER, shell: str = SHELL) -> bytes:
    files = {path.lstrip("/"): Path(path).read_bytes() for path in shell_files(shell)}
    folders = {f"{folder}/": b"" for path in files for folder in reversed(Path(path).parents) if folder != Path()}
    return layer({**folders, **files, "program.sh": program.encode()})


def write_image(path: Path, layers: list[bytes], tag: str = f"gluepot-test:{os.getpid()}", entry: list[str] | None = None) -> Path:
    """Write an image archive in the format of `docker save`."""
    digests = [hashlib.sha256(data).hexdigest() for data in layers]
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Entrypoint": entry or [SHELL, "/program.sh"], "Env": ["MINE=yes", "PATH=/bin"], "WorkingDir": "/", "Labels": MARK},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}" for digest in digests]},
    }
    text = json.dumps(config).encode()
    number = hashlib.sha256(text).hexdigest()
    names = [f"{digest}.tar" for digest in digests]
    manifest = json.dumps([{"Config": f"{number}.json", "RepoTags": [tag], "Layers": names}]).encode()
    with tarfile.open(path, "w") as tar:
        for name, data in [(f"{number}.json", text), ("manifest.json", manifest), *zip(names, layers, strict=True)]:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def failure_to_start(engine: ContainerEngine, path: Path) -> str:
    """Return the reason why an engine cannot run an image within the limits, or an empty string if it can."""
    program = ContainerSandbox(engine, engine.load(path)).fence(Program(("probe",)))
    outcome = run_program(program)
    if not outcome.code:
        return ""
    remove_images(engine)
    return f"{engine.name} starts nothing here: {outcome.failure(program)}"


def remove_images(engine: ContainerEngine) -> None:
    """Remove all images that tests have loaded into the engine."""
    listed = engine.ask("images", "--quiet", "--filter", *(f"label={name}={value}" for name, value in MARK.items()))
    engine.ask("image", "rm", "--force", *set(listed.stdout.split()))
