"""Content of a program, command line and files: read from an upload, identified by a digest, unpacked to be run."""

import re
import shlex
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import IO

import msgspec

from gluepot.board.importing.drafts import digest_of
from gluepot.errors import WrongUse
from gluepot.masking import mask_secrets
from gluepot.records import Problem
from gluepot.submissions.opening.bundles import open_bundle
from gluepot.submissions.opening.entries import displayed
from gluepot.submissions.opening.zips import DAMAGED, explain
from gluepot.submissions.problems import Problems

COMMAND, IMAGE = "command", "image"
PREFIXES = {"command:": COMMAND, "container:": IMAGE}
"""Prefix to kind of a program, on the command line, in forms and in the API."""
LONGEST = 2000
_PINNED = re.compile(r"[a-z0-9][a-z0-9._/:-]{0,254}@sha256:[0-9a-f]{64}")


class ProgramFile(msgspec.Struct, frozen=True):
    """A file of a program."""

    name: str
    size: int
    sha256: str


@dataclass
class ProgramContent:
    """The content of a program, or its problems."""

    kind: str
    words: str
    files: list[ProgramFile] = field(default_factory=list)
    packed: bytes = b""
    problems: list[Problem] = field(default_factory=list)

    @property
    def digest(self) -> str:
        return content_digest(self.kind, self.words, self.files)


def content_digest(kind: str, words: str, files: Sequence[ProgramFile]) -> str:
    """Return the digest of a program's kind, command line and files."""
    return digest_of(kind, shlex.split(words), sorted((file.name, file.sha256) for file in files))


def parse_program(text: str) -> tuple[str, str]:
    """Return the kind and the command line of a program. Raises WrongUse.

    >>> parse_program("command: python3 model.py")
    ('command', 'python3 model.py')
    """
    prefix = next((prefix for prefix in PREFIXES if text.strip().startswith(prefix)), None)
    if prefix is None:
        raise WrongUse("a program is named as command:'python3 model.py', or as container:registry/name@sha256:….")
    words = text.strip().removeprefix(prefix).strip()
    try:
        split = shlex.split(words)
    except ValueError as error:
        raise WrongUse(f"the words of the program cannot be told apart: {error}. Close what you quoted.") from error
    if not split or len(words) > LONGEST or not words.isprintable():
        raise WrongUse(f"{prefix} a command line of 1 to {LONGEST} printable characters is needed.")
    if mask_secrets(words) != words:
        raise WrongUse(f"{prefix} something in it looks like a key. Moderators read it, and nothing that runs here has a network.")
    kind = PREFIXES[prefix]
    if kind == IMAGE and _PINNED.fullmatch(split[0]) is None:
        raise WrongUse(
            f"{prefix}{displayed(split[0])}: an image is sent by its reference with its digest, so that what is allowed is what runs: "
            "container:registry/name@sha256:… (`docker push` prints it, `podman push --digestfile FILE` writes it)."
        )
    return kind, words


def read_content(kind: str, words: str, path: Path | None) -> ProgramContent:
    """Read the untrusted files at a path and pack them reproducibly."""
    content, problems = ProgramContent(kind, words), Problems()
    if kind == IMAGE and path is not None:
        problems.add("wrong-type", "an image comes without files.", file=displayed(path.name), hint="Put them into the image.")
    elif path is not None:
        with open_bundle(path, problems) as bundle:
            read = [_read(entry.name, entry.open, problems) for entry in sorted(bundle.entries, key=lambda entry: entry.name)]
        _take(content, [one for one in read if one is not None], problems)
    content.problems = problems.listed()
    return content


def _read(name: str, opened: Callable[[], IO[bytes]], problems: Problems) -> tuple[str, bytes] | None:
    try:
        with opened() as stream:
            return name, stream.read()
    except DAMAGED as error:
        problems.add("broken-archive", f"cannot be read ({explain(error)}).", file=displayed(name), hint="Pack the files again.")
        return None


def _take(content: ProgramContent, files: Sequence[tuple[str, bytes]], problems: Problems) -> None:
    names = {name for name, _ in files}
    for name in sorted(names):
        if any(str(parent) in names for parent in Path(name).parents):
            problems.add("unsafe-path", "a file and a folder have this name.", file=displayed(name), hint="Rename one of them.")
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    content.packed = packed.getvalue() if files else b""
    content.files = [ProgramFile(name, len(data), sha256(data).hexdigest()) for name, data in files]


def lay_out(stream: IO[bytes], folder: Path) -> list[ProgramFile]:
    """Unpack the files into a folder, all of them executable; return their names, sizes and hashes as read."""
    found = []
    with zipfile.ZipFile(stream) as archive:
        for name in archive.namelist():
            data, place = archive.read(name), folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            place.chmod(0o555)
            found.append(ProgramFile(name, len(data), sha256(data).hexdigest()))
    return found
