"""Checks of files and records: encoding, line ends, byte order marks, and keys that only some records have."""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gluepot.data.checks.findings import Finding
from gluepot.data.checks.material import CHECKS, Material, Split
from gluepot.plurals import pluralize

BINARY = (".parquet", ".gz", ".zip")
_BOM = b"\xef\xbb\xbf"


@dataclass
class Lines:
    """Line statistics of a file, collected in one pass."""

    ends: Counter[str] = field(default_factory=Counter)
    undecodable: list[int] = field(default_factory=list)
    blank: int = 0
    marked: bool = False
    last: bytes = b"\n"


@CHECKS.register("files")
def check_files(material: Material) -> Iterator[Finding]:
    seen: set[Path] = set()
    for split in material.splits.values():
        for path in split.files:
            if path not in seen and path.suffix not in BINARY and os.access(path, os.R_OK):
                yield from _judge(material, split.name, path, read_lines(path))
            seen.add(path)
        yield from _keys(material, split)


def read_lines(path: Path) -> Lines:
    """Scan a file in one pass, line by line, so that it may be large."""
    lines = Lines()
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if number == 1:
                lines.marked = line.startswith(_BOM)
            body = line.rstrip(b"\r\n")
            lines.blank += not body.strip()
            lines.last = line
            if line.endswith(b"\n"):
                lines.ends["CR LF" if line.endswith(b"\r\n") else "LF"] += 1
            lines.ends["CR"] += body.count(b"\r")
            if not _decodes(line):
                lines.undecodable.append(number)
    return lines


def _decodes(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _judge(material: Material, split: str, path: Path, lines: Lines) -> Iterator[Finding]:
    ends = {end: n for end, n in lines.ends.items() if n}
    if lines.undecodable:
        where = (f"line {n}" for n in lines.undecodable)
        yield material.problem("not-utf-8", split, f"{path.name}: {pluralize(len(lines.undecodable), 'line')} not in UTF-8", where)
    if lines.marked:
        yield material.problem("byte-order-mark", split, f"{path.name} begins with a byte order mark")
    if len(ends) > 1:
        shares = ", ".join(f"{n:,} with {end}" for end, n in ends.items())
        yield material.problem("mixed-line-ends", split, f"{path.name} mixes line ends: {shares}", count=min(ends.values()))
    elif "CR LF" in ends:
        yield material.note("crlf", split, f"{path.name} ends its lines with CR LF", count=ends["CR LF"])
    if lines.blank:
        yield material.note("blank-line", split, f"{path.name} has {pluralize(lines.blank, 'blank line')}", count=lines.blank)
    if not lines.last.endswith((b"\n", b"\r")) and path.suffix != ".json":
        yield material.note("no-final-newline", split, f"{path.name}: the last line does not end")


def _keys(material: Material, split: Split) -> Iterator[Finding]:
    """Report keys that are not in every record."""
    counts = Counter(key for record in split.records for key in record)
    rare = sorted((n, key) for key, n in counts.items() if n < len(split))
    if rare:
        examples = [f"{key!r} in {n:,}" if n <= len(split) / 2 else f"{key!r} missing in {len(split) - n:,}" for n, key in rare]
        message = f"{pluralize(len(rare), 'key')} not in every one of {pluralize(len(split), 'record')}"
        yield material.note("odd-keys", split.name, message, examples)
