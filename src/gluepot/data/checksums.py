"""Checksums of official files, declared in a suite's `SHA256SUMS` in the format of `sha256sum`."""

import re
from functools import cache
from hashlib import file_digest, sha256
from itertools import product
from pathlib import Path, PurePosixPath

from gluepot.errors import WrongUse

SUMS = "SHA256SUMS"
BOM = b"\xef\xbb\xbf"
TEXTS = (".jsonl", ".json", ".tsv", ".csv", ".conllu", ".txt")
"""Suffixes of text files, whose line ends may vary."""
_LINE = re.compile(r"([0-9a-f]{64}) [ *](\S.*)")


def declared_sums(folder: Path) -> dict[str, str]:
    """Return the declared checksums of a suite's folder by path; empty if none are declared."""
    path = folder / SUMS
    return parse_sums(path.read_text(encoding="utf-8"), f"{folder.name}/{SUMS}") if path.is_file() else {}


def parse_sums(text: str, place: str) -> dict[str, str]:
    """Parse a checksum file into checksums by path.

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
    """Format a checksum file, sorted by path."""
    return "".join([*(f"# {line}\n" for line in head.splitlines()), *(f"{sums[path]}  {path}\n" for path in sorted(sums))])


def digest_of(path: Path) -> str:
    """Return the sha256 of a file, cached until the file changes."""
    state = path.stat()
    return _digest(path, state.st_size, state.st_mtime_ns)


@cache
def _digest(path: Path, _size: int, _time: int) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def differs_in_form(path: Path, expected: str) -> bool:
    """Return whether a text file differs from the expected one in line ends, byte order mark or last newline only."""
    return path.suffix in TEXTS and any(sha256(form).hexdigest() == expected for form in _forms(path.read_bytes()))


def _forms(data: bytes) -> list[bytes]:
    """Return the equivalent forms of a text: with and without a mark, with LF or CR LF, with and without a last newline."""
    lines = data.removeprefix(BOM).replace(b"\r\n", b"\n").removesuffix(b"\n")
    return [mark + (lines + last).replace(b"\n", end) for mark, end, last in product((b"", BOM), (b"\n", b"\r\n"), (b"\n", b""))]
