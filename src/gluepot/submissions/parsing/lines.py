"""Strict reading of untrusted JSON Lines in blocks: fast if all is well, line by line otherwise."""

import io
from collections.abc import Callable, Iterator
from typing import IO, Any

import msgspec

from gluepot.strict_json import ONE_A_LINE, InvalidLineError, decode_strictly
from gluepot.submissions.problems import HOPELESS, Problems

LONGEST_LINE = 1024**2
MOST_LINES = 5_000_000
BOM = b"\xef\xbb\xbf"
_BLOCK, _BLOCK_LINES = 1024**2, 10_000
"""A decoded line takes up to 35 times its size ('{"":0},' over and over), and many short ones more."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DECODER, _ENCODER = msgspec.json.Decoder(), msgspec.json.Encoder()


Longest = Callable[[], int]
"""Function that returns the maximum bytes of a line, called only if one exceeds the usual limit."""
Rows = Iterator[tuple[int, dict[str, Any] | None]]
"""Line numbers and records; None in place of an invalid line."""


def read_lines(stream: IO[bytes], file: str, problems: Problems, longest: Longest = lambda: LONGEST_LINE) -> Rows:
    """Yield the records of a file; anything else is reported as a problem with its place."""
    empty = True
    for lines in _blocks(numbered_lines(stream, file, problems, longest)):
        if empty and _is_document(lines[0][1].strip()):
            problems.add("broken-json", "one JSON document over many lines.", file=file, line=lines[0][0], hint=ONE_A_LINE)
            return
        empty = False
        yield from _records(lines, file, problems)
        if problems.has_too_many(file):
            problems.add("gave-up", f"more than {HOPELESS:,} problems: the rest was not read.", file=file, hint="Mend these first.")
            return
    if empty and not problems.count(file):
        problems.add("empty-file", "the file is empty.", file=file, hint="One prediction a line is expected.")


def numbered_lines(
    stream: IO[bytes], file: str, problems: Problems, longest: Longest = lambda: LONGEST_LINE
) -> Iterator[tuple[int, bytes]]:
    """Yield lines with their numbers; blank ones are skipped, over-long ones reported and empty."""
    buffered = io.BufferedReader(_Raw(stream), 1024**2)
    number = 0
    while line := buffered.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(BOM)
        if number == 1 and line.startswith(_UTF16):
            problems.add("not-utf8", "the file is UTF-16.", file=file, line=1, hint="Save the file as UTF-8.")
            return
        if number > MOST_LINES:
            problems.add("too-large", f"more than {MOST_LINES:,} lines.", file=file, line=number, hint="Send the prediction files alone.")
            return
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            yield number, _rest(buffered, line, longest(), file, number, problems)
        elif line and not line.isspace():
            yield number, line


def _rest(buffered: IO[bytes], line: bytes, longest: int, file: str, number: int, problems: Problems) -> bytes:
    """Return a line above the usual limit in full; if it exceeds `longest`, too, report it and return an empty one."""
    if longest > LONGEST_LINE:
        line += buffered.readline(longest + 1 - len(line))
        if len(line) <= longest or line.endswith(b"\n"):
            return line
    while (rest := buffered.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
        pass
    message = f"a line of more than {max(longest, LONGEST_LINE):,} bytes."
    problems.add("line-too-long", message, file=file, line=number, hint="Write one prediction a line.")
    return b""


def _blocks(lines: Iterator[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    size = 0
    block: list[tuple[int, bytes]] = []
    for numbered in lines:
        block.append(numbered)
        size += len(numbered[1])
        if size > _BLOCK or len(block) >= _BLOCK_LINES:
            yield block
            size, block = 0, []
    if block:
        yield block


def _is_document(line: bytes) -> bool:
    """Return whether the first line of a file shows that it is one array, or one document formatted over many lines."""
    return line in (b"[", b"{", b"[{") or (line.startswith(b"[{") and line.endswith(b","))


def _records(lines: list[tuple[int, bytes]], file: str, problems: Problems) -> Rows:
    records = _decode_block([line for _, line in lines])
    if records is not None:
        yield from zip((number for number, _ in lines), records, strict=True)
        return
    for number, line in lines:
        sure = _decode_block([line])
        yield number, sure[0] if sure else _decode_line(line, file, number, problems) if line else None


def _decode_block(lines: list[bytes]) -> list[Any] | None:
    """Decode all lines in one call, or return None if any needs closer inspection."""
    data = b"".join(lines)
    try:
        records = _DECODER.decode_lines(data)
        if len(records) != len(lines) or not all(type(record) is dict for record in records):
            return None
        again = _ENCODER.encode(records)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    # Without this, a record on two lines would compensate for two records on one.
    if data.count(b"}\n{") + data.count(b"}\r\n{") != len(lines) - 1:
        return None
    return records if _quotation_marks(data) == _quotation_marks(again) else None


def _quotation_marks(data: bytes) -> int:
    """Count the quotation marks that open or close a string, that is all but the escaped ones.

    Decoding drops duplicate keys, so a text with more of them than its decoded form, encoded again, has such keys.
    """
    data = data.replace(b"\\\\", b"")  # now a backslash before a quotation mark escapes it, and no other backslash
    return data.count(b'"') - data.count(b'\\"')


def _decode_line(line: bytes, file: str, number: int, problems: Problems) -> dict[str, Any] | None:
    try:
        return decode_strictly(line.rstrip(b"\r\n"))  # so that an error at its end is reported on this line
    except InvalidLineError as odd:
        problems.add(odd.code, str(odd), file=file, line=number, hint=odd.hint)
    return None


class _Raw(io.RawIOBase):
    """A stream as a raw one, so that one C buffer serves files and zip members alike."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
