"""Reader for thesauri in MyThes format: the encoding, then `word|n` and n lines of `pos|synonym|…`."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gluepot.build.reading.tables import read_lines
from gluepot.build.workbench import Workbench


@dataclass(frozen=True)
class Meaning:
    """One line of synonyms of a word."""

    word: str
    pos: str
    synonyms: tuple[str, ...]
    line: int


def read_mythes(bench: Workbench, path: Path) -> list[Meaning]:
    """Return all meanings; faults are recorded on the workbench."""
    with path.open("rb") as stream:
        told = stream.readline().decode("ascii", "replace").strip()
    try:
        encoding = codecs.lookup(told.removeprefix("\ufeff")).name
    except LookupError:
        bench.fault(path, 1, f"the first line names the encoding, as in UTF-8 or ISO-8859-1: {told[:40]!r} is none.")
        return []
    return list(_meanings(bench, path, read_lines(bench, path, encoding)))


def _meanings(bench: Workbench, path: Path, lines: list[str]) -> Iterator[Meaning]:
    number = 1
    while number < len(lines):
        head = lines[number]
        number += 1
        if not head.strip():
            continue
        word, bar, count = head.rpartition("|")
        if not bar or not count.strip().isdecimal():
            bench.fault(path, number, f"{head[:40]!r}: a word and the number of its meanings are expected, as in katt|2.")
            continue
        for _ in range(int(count)):
            if number >= len(lines) or "|" not in lines[number]:
                bench.fault(path, number + 1, f"a meaning of {word!r} is missing.")
                break
            pos, *synonyms = (part.strip() for part in lines[number].split("|"))
            number += 1
            yield Meaning(word.strip(), pos, tuple(one for one in synonyms if one), number)
