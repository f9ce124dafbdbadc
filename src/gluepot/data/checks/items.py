"""Items: empty texts and options, the same item twice in a split, and twice with different answers."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator
from typing import Any

from gluepot.data.checks.findings import LONGEST, SHOWN, Finding, excerpt, some
from gluepot.data.checks.material import CHECKS, Material, Split
from gluepot.records import Example
from gluepot.tasks import Kind

_WORD = re.compile(r"\w")
ANSWERS = ("judgments", "answer-start")
"""Inputs that tell the answer rather than ask for it."""


@CHECKS.register("items")
def check_items(material: Material) -> Iterator[Finding]:
    for split in material.splits.values():
        yield from _empty(material, split)
        yield from _wordless(material, split)
        yield from _wrong_types(material, split)
        yield from _options(material, split)
        yield from _duplicates(material, split)


def _empty(material: Material, split: Split) -> Iterator[Finding]:
    for name in material.kind.texts:
        rows = [i for i, example in enumerate(split.examples) if name in example.inputs and _is_empty(example.inputs[name])]
        if rows:
            noun = "an empty token or none" if name == "tokens" else f"an empty {name}"
            yield material.problem("empty-text", split.name, f"{some(len(rows), 'item')} with {noun}", map(split.place, rows))


def _wordless(material: Material, split: Split) -> Iterator[Finding]:
    """Notes on texts without a letter or a digit: perhaps a smiley, perhaps what was left of a text."""
    for name in material.kind.texts:
        values = ((i, example.inputs.get(name)) for i, example in enumerate(split.examples))
        rows = [(i, value) for i, value in values if isinstance(value, str) and not _is_empty(value) and not _WORD.search(value)]
        if rows:
            examples = (f"{split.place(i)} {excerpt(value)}" for i, value in rows)
            yield material.note("wordless-text", split.name, f"{some(len(rows), 'item')} whose {name} has no word", examples)


def _is_empty(value: Any) -> bool:
    """Whether a text has nothing to read, or a list of tokens has none or an empty one."""
    if isinstance(value, str):
        return not value or value.isspace()
    if isinstance(value, list):
        return not value or any(isinstance(token, str) and not token.strip() for token in value)
    return value is None


def _wrong_types(material: Material, split: Split) -> Iterator[Finding]:
    for name in material.kind.texts:
        wanted = list if name == "tokens" else str
        values = ((i, example.inputs.get(name)) for i, example in enumerate(split.examples))
        odd = [(i, value) for i, value in values if value is not None and not isinstance(value, wanted)]
        if odd:
            examples = (f"{split.place(i)}: {value!r:.40}" for i, value in odd)
            yield material.problem("wrong-type", split.name, f"{some(len(odd), 'item')} whose {name} is no {wanted.__name__}", examples)


def _options(material: Material, split: Split) -> Iterator[Finding]:
    if "options" not in material.kind.inputs:
        return
    lists = [(i, [str(o) for o in example.inputs.get("options") or ()]) for i, example in enumerate(split.examples)]
    empty = [i for i, options in lists if not options or not all(o.strip() for o in options)]
    if empty:
        yield material.problem("empty-option", split.name, f"{some(len(empty), 'item')} with an empty option", map(split.place, empty))
    twice = [(i, next(o for o in options if options.count(o) > 1)) for i, options in lists if len(set(options)) < len(options)]
    if twice:
        examples = (f"{split.place(i)} {excerpt(option)}" for i, option in twice)
        yield material.problem("duplicate-option", split.name, f"{some(len(twice), 'item')} offering an option twice", examples)


def _duplicates(material: Material, split: Split) -> Iterator[Finding]:
    rows: defaultdict[Hashable, list[int]] = defaultdict(list)
    for i, example in enumerate(split.examples):
        if example.inputs:
            rows[item_key(material.kind, example)].append(i)
    same: list[list[int]] = []
    odd: list[list[int]] = []
    for group in rows.values():
        if len(group) > 1:
            (odd if contradict(material, [split.examples[i].target for i in group]) else same).append(group)
    if same:
        extra = sum(map(len, same)) - len(same)
        yield material.problem(
            "duplicate", split.name, f"{some(extra, 'repeated item')}", (_again(material, split, g) for g in same), extra
        )
    if odd:
        message = f"{some(len(odd), 'item')} with different answers"
        yield material.problem("contradictory", split.name, message, (_again(material, split, g, answers=True) for g in odd))


def _again(material: Material, split: Split, group: list[int], *, answers: bool = False) -> str:
    rows = ", ".join(str(i + 1) for i in group[:5]) + (" …" if len(group) > 5 else "")
    targets = f" ({', '.join(_answers(split, group))})" if answers else ""
    return f"rows {rows}{targets} {excerpt(shown_text(material.kind, split.examples[group[0]]))}"


def _answers(split: Split, group: list[int]) -> list[str]:
    """The first different answers of a group, shortened."""
    found = dict.fromkeys(split.examples[i].target for i in group)
    return [(" ".join(map(str, a)) if isinstance(a, tuple) else str(a))[:LONGEST] for a in found][:SHOWN]


def contradict(material: Material, answers: list[Any]) -> bool:
    """Whether gold answers to the same item cannot all be right; judged numbers may differ by a tenth of the scale."""
    known = {answer for answer in answers if answer is not None}
    if len(known) < 2 or material.task.scale is None or material.form != "number":
        return len(known) > 1
    low, high = material.task.scale
    return bool(max(known) - min(known) > (high - low) / 10)


def item_key(kind: Kind, example: Example) -> Hashable:
    """What makes two items the same: all that is asked; two words are the same pair in either order."""
    parts = tuple(_frozen(value) for name, value in example.inputs.items() if name not in ANSWERS)
    return tuple(sorted(parts, key=str)) if kind.name == "word-pair" else parts


def _frozen(value: Any) -> Hashable:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else value if isinstance(value, Hashable) else str(value)


def shown_text(kind: Kind, example: Example) -> str:
    """An item's texts on one line, for excerpts; a long context comes last."""
    names = sorted(kind.texts, key=lambda name: name == "context")
    parts = [example.inputs.get(name) for name in names]
    return " – ".join(" ".join(map(str, part)) if isinstance(part, list) else str(part) for part in parts if part)
