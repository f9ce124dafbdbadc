"""Strict and fast CoNLL-U reader: sentences with their surface tokens (range tokens, SpaceAfter) and syntactic words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gluepot.build.workbench import Workbench
from gluepot.plurals import pluralize

COLUMNS = 10
_ID = re.compile(r"[0-9]+(?:-[0-9]+|\.[0-9]+)?")
_NO_SPACE = re.compile(r"(?:^|\|)SpaceAfter=No(?:\||$)")


@dataclass(slots=True)
class ConlluSentence:
    """CoNLL-U sentence; all lists have one entry per token line, empty nodes included."""

    file: Path
    line: int
    """Line number of its first line."""
    name: str
    """Its sent_id, or its number in the file."""
    comments: dict[str, str]
    ids: list[str]
    forms: list[str]
    lemmas: list[str]
    tags: list[str]
    """UPOS."""
    misc: list[str]
    inner: list[bool]
    """Words within a range token, which have no surface form of their own."""
    plain: bool
    """Whether every line is a word, without range tokens or empty nodes."""
    document: str = ""

    @property
    def source(self) -> str:
        return f"{self.file.name}#{self.name}"

    def surface(self) -> Sequence[int]:
        """Return the lines that form the text: range tokens, and words outside of them."""
        if self.plain:
            return range(len(self.ids))
        return [place for place, number in enumerate(self.ids) if not self.inner[place] and "." not in number]

    def glued(self, place: int) -> bool:
        """Return whether no space follows."""
        return "SpaceAfter=No" in self.misc[place] and _NO_SPACE.search(self.misc[place]) is not None

    def glues(self, places: Sequence[int]) -> bytes:
        """Return `glued` of several lines as 0 or 1; sentences without SpaceAfter=No take a fast path."""
        if "SpaceAfter=No" not in "".join(self.misc):
            return bytes(len(places))
        return bytes(self.glued(place) for place in places)

    def first_tag(self, place: int) -> str:
        """Return the UPOS of a line; for a range token, that of its first word."""
        if "-" not in self.ids[place]:
            return self.tags[place]
        first = self.ids[place].partition("-")[0]
        following = range(place + 1, len(self.ids))
        return next((self.tags[other] for other in following if self.ids[other] == first), self.tags[place])

    def surface_text(self) -> str:
        """Return the text reconstructed from SpaceAfter."""
        return "".join(self.forms[p] + ("" if self.glued(p) else " ") for p in self.surface()).rstrip(" ")

    @property
    def text(self) -> str:
        """`# text`, or the text reconstructed from the tokens if there is none."""
        return self.comments.get("text") or self.surface_text()


def read_conllu(bench: Workbench, path: Path) -> list[ConlluSentence]:
    """Return all sentences of a file; faults are recorded on the workbench."""
    known: dict[str, str] = {}  # equal strings are stored once: a treebank has few distinct lemmas and tags
    sentences = []
    for sentence in stream_conllu(bench, path):
        for column in (sentence.ids, sentence.forms, sentence.lemmas, sentence.tags, sentence.misc):
            column[:] = map(known.setdefault, column, column)
        sentences.append(sentence)
    return sentences


def stream_conllu(bench: Workbench, path: Path) -> Iterator[ConlluSentence]:
    """Yield sentences one by one, for treebanks of which little is retained."""
    document = ""
    for count, (first, lines) in enumerate(_blocks(bench, path), start=1):
        sentence = _sentence(bench, path, first, lines, count)
        document = sentence.document = sentence.document or document
        if sentence.forms:
            yield sentence


def _blocks(bench: Workbench, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of each block between blank lines, without line ends, and the number of its first line."""
    lines: list[str] = []
    first = 1
    try:
        # Only CR and LF end a line: treebanks contain U+2028 and U+0085 in words.
        with path.open(encoding="utf-8-sig", newline="") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.isspace():
                    lines.append(line.rstrip("\r\n"))
                else:
                    if lines:
                        yield first, lines
                    lines, first = [], number + 1
    except UnicodeDecodeError as error:
        bench.fault(path, _undecodable_line(path), f"not UTF-8 ({error.reason}). `iconv -f WINDOWS-1252 -t UTF-8` converts older files.")
    if lines:
        yield first, lines


def _undecodable_line(path: Path) -> int | None:
    """Return the line of the first byte that is not valid UTF-8; a stream decodes ahead and cannot locate it."""
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return None


def _sentence(bench: Workbench, path: Path, first: int, lines: list[str], count: int) -> ConlluSentence:
    comments: dict[str, str] = {}
    for line in lines:
        if line[0] == "#":
            name, _, value = line[1:].partition("=")
            comments.setdefault(name.strip(), value.strip())
    rows = [line.split("\t") for line in lines if line[0] != "#"]
    plain = all(map(COLUMNS.__eq__, map(len, rows))) and all(row[0].isdecimal() for row in rows)
    if not plain:
        rows = _legal(bench, path, first, lines)
    columns = list(map(list, zip(*rows, strict=True))) or [[] for _ in range(COLUMNS)]
    document = comments.get("newdoc id") or (f"{path.name}:{first}" if "newdoc" in comments else "")
    name = comments.get("sent_id") or str(count)
    inner = [False] * len(rows) if plain else _inner(columns[0])
    ids, forms, lemmas, tags, *_, misc = columns
    return ConlluSentence(path, first, name, comments, ids, forms, lemmas, tags, misc, inner, plain, document)


def _legal(bench: Workbench, path: Path, first: int, lines: list[str]) -> list[list[str]]:
    """Return the valid rows of a sentence; invalid ones are recorded as faults."""
    rows = []
    for number, line in enumerate(lines, start=first):
        cells = line.split("\t")
        if line[0] == "#":
            continue
        if len(cells) == COLUMNS and _ID.fullmatch(cells[0]):
            rows.append(cells)
        else:
            bench.fault(path, number, _wrong(cells))
    return rows


def _wrong(cells: list[str]) -> str:
    if len(cells) == 1:
        return f"no line of CoNLL-U: {cells[0][:40]!r}. Tabs separate the columns, of which there are {COLUMNS}."
    if len(cells) != COLUMNS:
        return f"{pluralize(len(cells), 'column')} where CoNLL-U has {COLUMNS}."
    return f"{cells[0]!r} is not a token number such as 3, 3-4 or 3.1."


def _inner(ids: list[str]) -> list[bool]:
    """Return whether each line lies within a range token: its words, and empty nodes after one of them."""
    if "-" not in "".join(ids):
        return [False] * len(ids)
    found, last, first = [], -1, 0
    for number in ids:
        if "-" in number:
            first, last = (int(end) for end in number.split("-"))
            found.append(False)
        else:
            found.append(first <= int(number.partition(".")[0]) <= last)
    return found
