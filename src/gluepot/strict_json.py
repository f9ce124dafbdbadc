"""Strict decoding of an untrusted JSON object: duplicate keys, NaN, lone surrogates and deep nesting are errors."""

import json
from collections import Counter
from typing import Any, NoReturn

_TYPES = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}
ONE_A_LINE = 'Write one object a line: {"id": …, "prediction": …}.'


class InvalidLineError(ValueError):
    """Line that is not a valid record: a machine-readable code, a message and a hint."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.hint = code, hint


def decode_strictly(line: bytes) -> dict[str, Any]:
    """Decode one record; raise `InvalidLineError` also for what the standard decoder accepts: duplicate keys, NaN, lone surrogates."""
    try:
        record = json.loads(line.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse_constant)
        if b"\\ud" in line.lower():
            json.dumps(record, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidLineError("not-utf8", f"byte {error.start + 1:,} is not UTF-8.", "Save the file as UTF-8.") from None
    except UnicodeEncodeError:
        raise InvalidLineError("not-utf8", "a \\u escape is half a character.", "Write both halves, or the character itself.") from None
    except json.JSONDecodeError as error:
        raise InvalidLineError("broken-json", f"not JSON at {_place(error)}: {error.msg}.", _advice(line)) from None
    except RecursionError:
        raise InvalidLineError("too-deep", "brackets are nested too deeply.", "A prediction is a flat record.") from None
    except InvalidLineError:
        raise
    except ValueError:  # from int(): Python rejects numbers of more than 4300 digits
        raise InvalidLineError("not-a-number", "a number with thousands of digits.", "Write a number of common size.") from None
    if not isinstance(record, dict):
        raise InvalidLineError("wrong-type", f"{_TYPES.get(type(record), 'a number')}, not an object.", _advice(line))
    return record


def _place(error: json.JSONDecodeError) -> str:
    return f"column {error.colno:,}" if error.lineno == 1 else f"line {error.lineno:,}, column {error.colno:,}"


def _advice(line: bytes) -> str:
    return "Leave out the comma after it." if line.rstrip().endswith(b"},") else ONE_A_LINE


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise InvalidLineError("duplicate-key", f"the key {twice[:60]!r} occurs twice.", "Keep one of them.")
    return record


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidLineError("not-a-number", f"{name} is not JSON.", "Write a number, or null where the task allows it.")
