"""Strict JSON Lines from strangers, read in blocks: fast where all is well, line by line where something is not."""

import io
import json
import re
from collections.abc import Iterator
from typing import IO, Any, NoReturn

import msgspec

from gluepot.data.submissions.problems import Problems

LONGEST_LINE = 1024**2
_BLOCK = 4 * 1024**2
_DECODER, _ENCODER = msgspec.json.Decoder(), msgspec.json.Encoder()
_SPACED_KEY = re.compile(rb'"[ \t\r]+:')


def read_lines(stream: IO[bytes], file: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers and records; whatever is no record is a problem with its place."""
    empty = True
    for lines in _blocks(stream, file, problems):
        empty = empty and not lines
        records = _decode_block(lines)
        if records is not None:
            yield from zip((number for number, _ in lines), records, strict=True)
            continue
        for number, line in lines:
            sure = _decode_block([(number, line)])
            record = sure[0] if sure else _decode_line(line, file, number, problems)
            if record is not None:
                yield number, record
    if empty and not problems.count(file):
        problems.add("empty-file", "the file is empty.", file=file, hint="One prediction a line is expected.")


def _blocks(stream: IO[bytes], file: str, problems: Problems) -> Iterator[list[tuple[int, bytes]]]:
    """Numbered lines in blocks of a few megabytes, blank ones left out, over-long ones reported and skipped."""
    buffered = io.BufferedReader(_Raw(stream), 1024**2)
    number, size = 0, 0
    lines: list[tuple[int, bytes]] = []
    while line := buffered.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            problems.add("line-too-long", f"a line of more than {LONGEST_LINE:,} bytes.", file=file, line=number, hint="One prediction a line.")
            while (rest := buffered.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            continue
        if line.strip():
            lines.append((number, line))
            size += len(line)
        if size > _BLOCK:
            yield lines
            size, lines = 0, []
    yield lines


def _decode_block(lines: list[tuple[int, bytes]]) -> list[Any] | None:
    """All records at once, or None if any line needs a closer look."""
    data = b"".join(line if line.endswith(b"\n") else line + b"\n" for _, line in lines)
    try:
        records = _DECODER.decode_lines(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if len(records) != len(lines) or not all(type(record) is dict for record in records):
        return None
    return records if _written_keys(data) == _written_keys(_ENCODER.encode(records)) is not None else None


def _written_keys(data: bytes) -> int | None:
    """How many keys are written here, duplicates included: a quotation mark before a colon that no backslash escapes.

    Decoding drops duplicates, so text that has more keys than what it decodes to, written out again, holds some.

    None where the count cannot be sure: a space between key and colon, or an escaped backslash before a quotation mark.
    """
    if b'\\\\"' in data:
        return None
    bare = data.replace(b'\\"', b"")
    return None if _SPACED_KEY.search(bare) else bare.count(b'":')


class _Odd(ValueError):
    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.hint = code, hint


def _decode_line(line: bytes, file: str, number: int, problems: Problems) -> dict[str, Any] | None:
    try:
        return decode_strictly(line)
    except _Odd as odd:
        problems.add(odd.code, str(odd), file=file, line=number, hint=odd.hint)
    return None


def decode_strictly(line: bytes) -> dict[str, Any]:
    """One record, or an error that names what the standard decoder would let pass: duplicate keys, NaN, deep nesting."""
    try:
        text = line.decode("utf-8")
        record = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
        if b"\\ud" in line.lower():
            json.dumps(record, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        raise _Odd("not-utf8", f"byte {error.start + 1} of the line is not UTF-8.", "Save the file as UTF-8.") from None
    except UnicodeEncodeError:
        raise _Odd("not-utf8", "a \\u escape is half a character.", "Write both halves, or the character itself.") from None
    except json.JSONDecodeError as error:
        raise _Odd("broken-json", f"not JSON at column {error.colno}: {error.msg}.", "One JSON object a line is expected.") from None
    except RecursionError:
        raise _Odd("too-deep", "brackets are nested too deeply.", "A prediction is a flat record.") from None
    except ValueError as error:
        if isinstance(error, _Odd):
            raise
        raise _Odd("broken-json", f"not JSON: {error}.") from None
    if not isinstance(record, dict):
        raise _Odd("wrong-type", f"a JSON {type(record).__name__}, not an object.", 'Write {"id": …, "prediction": …}.')
    return record


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Odd("duplicate-key", f"the key {twice[:60]!r} occurs twice.", "Keep one of them.")
    return record


def _refuse_constant(name: str) -> NoReturn:
    raise _Odd("not-a-number", f"{name} is not JSON.", "Write a number, or null where the task allows it.")


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
