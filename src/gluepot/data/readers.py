"""Readers of common formats, by name; a suite's own readers come from plug-ins."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from gluepot.errors import DataMissing, GluepotError
from gluepot.tasks.formats import READERS, Record

_DECODER = msgspec.json.Decoder()
_BOM = b"\xef\xbb\xbf"


@READERS.register("jsonl")
def read_jsonl(files: Sequence[Path], _split: str) -> Iterator[Record]:
    """Read one JSON object per line, accepting CRLF, a byte order mark, blank lines and a missing last newline."""
    for path in files:
        data = path.read_bytes().removeprefix(_BOM)
        try:
            yield from _DECODER.decode_lines(data)
        except msgspec.DecodeError:
            yield from _read_lines(path, data)


def _read_lines(path: Path, data: bytes) -> Iterator[Record]:
    """Read line by line with the more lenient standard decoder, which locates errors."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise GluepotError(f"{path}:{number}: not JSON: {error}.") from error


@READERS.register("json")
def read_json(files: Sequence[Path], _split: str) -> Iterator[Record]:
    """Read one JSON array of objects per file."""
    for path in files:
        try:
            yield from _DECODER.decode(path.read_bytes().removeprefix(_BOM))
        except msgspec.DecodeError as error:
            raise GluepotError(f"{path}: not JSON: {error}.") from error


@READERS.register("word-spans")
def read_word_spans(files: Sequence[Path], split: str) -> Iterator[Record]:
    """Read two spans given by their words and a word number, and add character offsets."""
    for record in read_jsonl(files, split):
        target, text = record["target"], record["text"]
        for number in (1, 2):
            span, index = target[f"span{number}_text"], target[f"span{number}_index"]
            start = locate_words(text, span, index)
            record[f"span{number}"] = span
            record[f"span{number}_start"], record[f"span{number}_end"] = start, start + len(span)
        yield record


def word_offset(text: str, index: int) -> int:
    """Return the character offset of the `index`-th whitespace-separated word, counted from 0.

    >>> word_offset("en katt sover", 2)
    8
    """
    position = 0
    for _ in range(index):
        position += len(text[position:]) - len(text[position:].lstrip())
        position += len(text[position:].split(maxsplit=1)[0]) if text[position:].strip() else 0
    return position + len(text[position:]) - len(text[position:].lstrip())


def locate_words(text: str, span: str, index: int) -> int:
    """Return the offset of `span`: the occurrence nearest to the word number, for files that count from 1 or miscount.

    >>> locate_words("hon såg att hon sov", "hon", 3)
    12
    """
    wanted = word_offset(text, index)
    places = [i for i in range(len(text) - len(span) + 1) if text.startswith(span, i)]
    return min(places, key=lambda place: abs(place - wanted), default=wanted)


@READERS.register("parquet")
def read_parquet(files: Sequence[Path], _split: str) -> Iterator[Record]:
    """Read one record per row."""
    try:
        from pyarrow.parquet import read_table
    except ModuleNotFoundError as error:
        raise DataMissing("Parquet files need pyarrow: pip install 'gluepot[parquet]'.") from error
    for path in files:
        yield from read_table(path).to_pylist()


@READERS.register("tsv")
def read_tsv(files: Sequence[Path], _split: str) -> Iterator[Record]:
    """Read one record per row, with the names of the first row."""
    for path in files:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            yield from csv.DictReader(lines, delimiter="\t")
