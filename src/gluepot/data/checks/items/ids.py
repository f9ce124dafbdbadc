"""Checks of ids: missing, empty and duplicate ids, gaps in numbers, ids shared by two splits."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from gluepot.data.checks.findings import Finding
from gluepot.data.checks.material import CHECKS, Material, Split
from gluepot.data.examples import ABSENT
from gluepot.plurals import pluralize

OBVIOUS = ("id", "idx", "sentence_id")
"""Fields that are ids even if the declaration does not use them."""
FEW = 0.1
"""Share of missing numbers up to which ids count as a sequence."""


@CHECKS.register("ids")
def check_ids(material: Material) -> Iterator[Finding]:
    seen: dict[str, set[str]] = {}
    for split in material.splits.values():
        ids = read_ids(split)
        if ids is None:
            continue
        yield from _missing(material, split, ids)
        yield from _duplicate(material, split, ids)
        yield from _gaps(material, split, ids)
        seen[split.name] = {value for value in map(str, ids) if value.strip() and not value.isdigit()}
    yield from _shared(material, seen)


def read_ids(split: Split) -> list[Any] | None:
    """Return the raw ids of the records, or None if records have no id."""
    if split.shape.id is not None:
        return [split.shape.id(record) for record in split.records]
    for name in OBVIOUS:
        if any(name in record for record in split.records[:100]):
            return [record.get(name, ABSENT) for record in split.records]
    return None


def _missing(material: Material, split: Split, ids: list[Any]) -> Iterator[Finding]:
    missing = [i for i, value in enumerate(ids) if value is ABSENT or value is None]
    empty = [i for i, value in enumerate(ids) if isinstance(value, str) and not value.strip()]
    for code, rows in (("missing-id", missing), ("empty-id", empty)):
        if rows:
            what = "without an id" if code == "missing-id" else "with an empty id"
            yield material.problem(code, split.name, f"{pluralize(len(rows), 'item')} {what}", (f"row {i + 1}" for i in rows))


def _duplicate(material: Material, split: Split, ids: list[Any]) -> Iterator[Finding]:
    counts = Counter(str(value) for value in ids if value is not ABSENT and value is not None and value != "")
    again = {value: n for value, n in counts.items() if n > 1}
    if not again:
        return
    extra = sum(again.values()) - len(again)
    examples = [f"{value} ({n} times, rows {_rows(ids, value)})" for value, n in list(again.items())[:3]]
    yield material.problem("duplicate-id", split.name, f"{pluralize(extra, 'item')} with an id that another one has", examples, extra)


def _rows(ids: list[Any], wanted: str) -> str:
    return ", ".join(str(i + 1) for i, value in enumerate(ids) if str(value) == wanted)


def _gaps(material: Material, split: Split, ids: list[Any]) -> Iterator[Finding]:
    numbers = {int(value) for value in ids if isinstance(value, int) or (isinstance(value, str) and value.isascii() and value.isdigit())}
    if len(numbers) < len(set(map(str, ids))) or len(numbers) < 2:
        return
    low, high = min(numbers), max(numbers)
    missing = high - low + 1 - len(numbers)
    if 0 < missing <= FEW * len(numbers):
        first = [str(n) for n in range(low, high + 1) if n not in numbers]
        yield material.note("id-gap", split.name, f"{pluralize(missing, 'number')} missing between id {low} and {high}", first)


def _shared(material: Material, seen: dict[str, set[str]]) -> Iterator[Finding]:
    names = list(seen)
    for i, left in enumerate(names):
        for right in names[i + 1 :]:
            if both := sorted(seen[left] & seen[right]):
                yield material.note("shared-id", f"{left}/{right}", f"{pluralize(len(both), 'id')} in both", both)
