"""Parsing of a TOML declaration into a record, with all mistakes and their line numbers."""

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from gluepot.answers.form import shown
from gluepot.errors import WrongUse, nearest

T = TypeVar("T")
Keys = tuple[str | int, ...]
_HEADER = re.compile(r"\s*\[{1,2}([\w .\t-]+)\]{1,2}\s*(?:#.*)?")  # no two parts match the same blank: a line of them took minutes
_KEY = re.compile(r"\s*(?:\"([^\"]*)\"|'([^']*)'|([\w-]+))\s*[=.]")
_WORDS = {str: "a string", int: "an integer", float: "a number", bool: "true or false", dict: "a table", list: "a list"}


class DeclarationFile:
    """Declaration file with the mistakes found in it so far."""

    def __init__(self, path: Path) -> None:
        self.place = display_path(path)
        self.mistakes: list[str] = []
        self._mistaken: set[str | int] = set()
        self.table: dict[str, Any] = {}
        self._lines: dict[Keys, int] = {}
        try:
            text = path.read_text(encoding="utf-8-sig")
            self._lines = dict(_line_numbers(text))
            self.table = tomllib.loads(text)
        except FileNotFoundError:
            self.mistakes.append(f"{self.place}: this file is missing.")
        except UnicodeDecodeError as error:
            self.mistakes.append(f"{self.place}: not UTF-8 (byte {error.start}).")
        except tomllib.TOMLDecodeError as error:
            self.mistakes.append(_syntax(self.place, str(error)))
        except (RecursionError, ValueError):  # from nested brackets, and from int()
            self.mistakes.append(f"{self.place}: not TOML: brackets nested too deeply, or a number of thousands of digits.")

    def mistake(self, keys: Keys, message: str) -> None:
        """Add a mistake at the key, or at its nearest parent with a line number; ignored if the top-level key already has one."""
        if keys and keys[0] in self._mistaken:
            return
        line = next((self._lines[keys[:end]] for end in range(len(keys), 0, -1) if keys[:end] in self._lines), None)
        name = ".".join(str(key) for key in keys if isinstance(key, str))
        self.mistakes.append(f"{self.place}{f':{line}' if line else ''}: {name}{': ' if name else ''}{message}")

    def convert(self, shape: type[T], filled: Sequence[str] = ()) -> T | None:
        """Return the declared record, as far as its mistakes allow, or None; `filled` fields must not be set in the file."""
        if self.mistakes:
            return None
        try:
            if not any(name in self.table for name in filled):
                return msgspec.convert(self.table, shape)
        except msgspec.ValidationError:
            pass  # it reports the first mistake only
        self.check(self.table, shape, (), filled)
        sound = {key: value for key, value in self.table.items() if key not in self._mistaken}
        try:
            return msgspec.convert({**_stand_ins(shape), **sound}, shape)
        except msgspec.ValidationError:
            return None

    def check(self, value: Any, shape: type[Any], keys: Keys, filled: Sequence[str] = ()) -> None:
        """Add all type mismatches; later mistakes at the same top-level keys are ignored, as they would only follow from these."""
        found = list(_mismatches(value, shape, keys, filled))
        for place, message in found:
            self.mistake(place, message)
        self._mistaken.update(place[0] for place, _ in found)


def raise_mistakes(name: str, mistakes: Sequence[str]) -> None:
    """Raise all mistakes of a declaration as one error, if there are any."""
    if not mistakes:
        return
    if len(mistakes) == 1:
        raise WrongUse(mistakes[0])
    raise WrongUse("\n  ".join([f"{name}: {len(mistakes)} mistakes in its declaration.", *mistakes]))


def display_path(path: Path) -> str:
    """Return a path relative to the working directory if it is below it, otherwise unchanged."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, FileNotFoundError):
        return str(path)


def _mismatches(value: Any, kind: Any, keys: Keys, filled: Sequence[str] = ()) -> Iterator[tuple[Keys, str]]:
    """Yield the mismatches between a value and its type, recursively."""
    kind = _arm(kind, value)
    if _is_record(kind) and isinstance(value, dict):
        yield from _record_mismatches(value, kind, keys, filled)
    elif get_origin(kind) is dict and isinstance(value, dict):
        for key, entry in value.items():
            yield from _mismatches(entry, get_args(kind)[1], (*keys, key))
    elif get_origin(kind) is list and isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _mismatches(entry, get_args(kind)[0], (*keys, number))
    else:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError:
            yield keys, _mismatch(value, kind)


def _record_mismatches(value: dict[str, Any], shape: Any, keys: Keys, filled: Sequence[str]) -> Iterator[tuple[Keys, str]]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(shape) if field.name not in filled}
    absent = [name for name, field in fields.items() if field.required and name not in value]
    for key in value:
        if key not in fields:
            likely = nearest(key, absent) or nearest(key, (name for name in fields if name not in value))
            absent = [name for name in absent if name != likely]
            known = f"Did you mean {likely!r}?" if likely else f"Known: {', '.join(fields)}."
            yield (*keys, key), f"there is no such key. {known}"
    for name in absent:
        yield (*keys, name), f"missing ({_in_words(fields[name].type)})."
    for name, field in fields.items():
        if name in value:
            yield from _mismatches(value[name], field.type, (*keys, name))


def _stand_ins(shape: Any) -> dict[str, Any]:
    """Return empty values for required fields, so that the others can be checked."""
    kinds = {field.encode_name: get_origin(field.type) or field.type for field in msgspec.structs.fields(shape) if field.required}
    return {name: kind() for name, kind in kinds.items() if kind in (str, list, dict)}


def _arm(kind: Any, value: Any) -> Any:
    """Return the member of a union that matches the value."""
    if not _is_union(kind):
        return kind
    arms = [arm for arm in get_args(kind) if arm is not NoneType]
    fits: Callable[[Any], bool] = lambda arm: isinstance(value, _origin(arm) or (dict if _is_record(arm) else arm))  # noqa: E731
    return next((arm for arm in arms if len(arms) == 1 or fits(arm)), kind)


def _is_union(kind: Any) -> bool:
    return isinstance(kind, UnionType) or get_origin(kind) is Union  # which of them `|` creates depends on its operands


def _origin(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else get_origin(kind)


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _mismatch(value: Any, kind: Any) -> str:
    if get_origin(kind) is Literal and isinstance(value, str):
        likely = nearest(value, get_args(kind))
        return f"{shown(value)} is not {_in_words(kind)}.{f' Did you mean {likely!r}?' if likely else ''}"
    return f"{shown(value)} is not {_in_words(kind)}."


def _in_words(kind: Any) -> str:
    """Return a description of a type in TOML terms.

    >>> _in_words(list[str]), _in_words(tuple[float, float]), _in_words(Annotated[int, msgspec.Meta(ge=1, le=10_000)] | None)
    ('a list', 'a list of 2', 'an integer from 1 to 10,000')
    """
    if _is_union(kind):
        return " or ".join(dict.fromkeys(_in_words(arm) for arm in get_args(kind) if arm is not NoneType))
    if get_origin(kind) is Annotated:
        return f"{_in_words(get_args(kind)[0])} {_bounds(get_args(kind)[1])}"
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    if get_origin(kind) is tuple:
        return f"a list of {len(get_args(kind))}"
    return "a table" if _is_record(kind) else _WORDS.get(get_origin(kind) or kind, str(kind))


def _bounds(meta: msgspec.Meta) -> str:
    return f"{f'from {meta.ge:,}' if meta.gt is None else f'above {meta.gt:,}'} to {meta.le:,}"


def _syntax(place: str, message: str) -> str:
    """Return tomllib's message prefixed with the line number in the format that editors recognise.

    >>> _syntax("faroe/suite.toml", "Expected '=' after a key in a key/value pair (at line 3, column 7)")
    "faroe/suite.toml:3: not TOML: Expected '=' after a key in a key/value pair (at line 3, column 7)."
    """
    line = re.search(r"at line (\d+)", message)
    return f"{place}{f':{line[1]}' if line else ''}: not TOML: {message}."


def _line_numbers(text: str) -> Iterator[tuple[Keys, int]]:
    """Yield every key that begins a line with its line number; tables of an array are numbered."""
    table: Keys = ()
    arrays: dict[Keys, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.fullmatch(line):
            table = tuple(part.strip() for part in header[1].split("."))
            if line.lstrip().startswith("[["):
                arrays[table] = arrays.get(table, -1) + 1
                table = (*table, arrays[table])
            yield table, number
        elif key := _KEY.match(line):
            yield (*table, next(part for part in key.groups() if part is not None)), number
