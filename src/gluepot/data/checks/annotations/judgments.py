"""Checks of judgments: single and gold values off the task's scale, and gold that is not the mean of its judgments."""

import re
from collections.abc import Iterator
from typing import Any

from gluepot.data.checks.findings import Finding, excerpt
from gluepot.data.checks.items.contents import shown_text
from gluepot.data.checks.material import CHECKS, Material, Split
from gluepot.plurals import pluralize
from gluepot.tasks.formats import Record

_JUDGMENT = re.compile(r"(?:a|anno|annotator|rater|judge|judgment)[ _-]?\d+", re.IGNORECASE)
USUAL = 0.9
"""Share of rows whose gold is the mean from which on the others are problems."""
ROUNDING = 0.051
"""Gold is printed with at least one decimal; a mean may differ by half of that."""


@CHECKS.register("judgments")
def check_judgments(material: Material) -> Iterator[Finding]:
    if material.task.scale is None or not material.kind.answer.by_distance:
        return
    for split in material.splits.values():
        yield from _off_scale(material, split)
        yield from _means(material, split)


def read_judgments(record: Record) -> dict[str, float]:
    """Return the single judgments of a record by field name: a1, a2…, annotator 1…, or a list `judgments`.

    >>> read_judgments({"word_1": "dryck", "a1": 10, "a2": None, "a3": 19, "label": 9.4})
    {'a1': 10, 'a3': 19}
    """
    found = {name: value for name, value in record.items() if _is_number(value) and _JUDGMENT.fullmatch(name)}
    listed = record.get("judgments")
    if isinstance(listed, list):
        found |= {f"judgment {i}": value for i, value in enumerate(listed, start=1) if _is_number(value)}
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _off_scale(material: Material, split: Split) -> Iterator[Finding]:
    assert material.task.scale is not None
    low, high = material.task.scale
    found = []
    for row, record in enumerate(split.records):
        for name, value in {**read_judgments(record), "gold": split.examples[row].target}.items():
            if value is not None and not low <= value <= high:
                found.append(f"{split.place(row)} {name} = {value:g} {excerpt(shown_text(material.kind, split.examples[row]))}")
    if found:
        message = f"{pluralize(len(found), 'number')} off the scale {low:g} to {high:g}"
        yield material.problem("off-scale", split.name, message, found)


def _means(material: Material, split: Split) -> Iterator[Finding]:
    seen, odd = 0, []
    for row, (record, example) in enumerate(zip(split.records, split.examples, strict=True)):
        values = read_judgments(record).values()
        if values and example.target is not None:
            seen += 1
            mean = sum(values) / len(values)
            if abs(mean - example.target) > ROUNDING:
                odd.append(f"{split.place(row)} is {example.target:g}, the mean {mean:.3g}")
    if odd:
        say = material.problem if len(odd) <= (1 - USUAL) * seen else material.note
        yield say(
            "label-not-mean", split.name, f"{len(odd):,} of {pluralize(seen, 'item')} whose gold is not the mean of its judgments", odd
        )
