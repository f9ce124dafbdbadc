"""Checksums of official files: declared in a suite's `SHA256SUMS`, in the form that `sha256sum` writes and checks."""

import re
from functools import cache
from hashlib import file_digest, sha256
from itertools import product
from pathlib import Path, PurePosixPath

from gluepot.errors import WrongUse

SUMS = "SHA256SUMS"
BOM = b"\xef\xbb\xbf"
TEXTS = (".jsonl", ".json", ".tsv", ".csv", ".conllu", ".txt")
"""Files whose lines may end in one way or another."""
_LINE = re.compile(r"([0-9a-f]{64}) [ *](\S.*)")


def declared_sums(folder: Path) -> dict[str, str]:
    """Path to sha256 for the files that a suite's folder has checksums of; none where nothing is declared."""
    path = folder / SUMS
    return parse_sums(path.read_text(encoding="utf-8"), f"{folder.name}/{SUMS}") if path.is_file() else {}


def parse_sums(text: str, place: str) -> dict[str, str]:
    """The lines of a checksum file.

    >>> parse_sums("# official\\n" + "0" * 64 + "  nli/dev.jsonl\\n", "own/SHA256SUMS")["nli/dev.jsonl"][:8]
    '00000000'
    """
    sums: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line.rstrip())
        if not found:
            raise WrongUse(f"{place}:{number}: a sha256 in small letters, two blanks and a path are expected, as `sha256sum` writes them.")
        if PurePosixPath(found[2]).is_absolute() or ".." in PurePosixPath(found[2]).parts:
            raise WrongUse(f"{place}:{number}: {found[2]} leads out of the data folder.")
        sums[found[2]] = found[1]
    return sums


def format_sums(sums: dict[str, str], head: str) -> str:
    """A checksum file, sorted by path."""
    return "".join([*(f"# {line}\n" for line in head.splitlines()), *(f"{sums[path]}  {path}\n" for path in sorted(sums))])


def digest_of(path: Path) -> str:
    """The sha256 of a file, read once as long as the file stays the same."""
    state = path.stat()
    return _digest(path, state.st_size, state.st_mtime_ns)


@cache
def _digest(path: Path, _size: int, _time: int) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def differs_in_form(path: Path, expected: str) -> bool:
    """Whether a text differs from the expected one in line ends, byte order mark or last newline only."""
    return path.suffix in TEXTS and any(sha256(form).hexdigest() == expected for form in _forms(path.read_bytes()))


def _forms(data: bytes) -> list[bytes]:
    """A text in the forms that readers take for the same: with and without a mark, by LF or CR LF, with and without a last newline."""
    lines = data.removeprefix(BOM).replace(b"\r\n", b"\n").removesuffix(b"\n")
    return [mark + (lines + last).replace(b"\n", end) for mark, end, last in product((b"", BOM), (b"\n", b"\r\n"), (b"\n", b""))]
