"""Checks of items: empty texts and options, duplicates within a split, and duplicates with different answers."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator
from typing import Any

from gluepot.data.checks.findings import LONGEST, SHOWN, Finding, excerpt
from gluepot.data.checks.material import CHECKS, Material, Split
from gluepot.plurals import pluralize
from gluepot.records import Example
from gluepot.tasks import Kind

_WORD = re.compile(r"\w")
_FAULTS = {
    "empty-text": "with nothing or an empty part in its {}",
    "wordless-text": "without a word in its {}",
    "wrong-type": "with something else than text in its {}",
}
ANSWERS = ("judgments", "answer-start")
"""Inputs that belong to the answer, not to the question."""


@CHECKS.register("items")
def check_items(material: Material) -> Iterator[Finding]:
    for split in material.splits.values():
        yield from _texts(material, split)
        yield from _options(material, split)
        yield from _duplicates(material, split)


def _texts(material: Material, split: Split) -> Iterator[Finding]:
    """Report texts that are empty, contain no word (perhaps a smiley, perhaps the remnant of a text) or are not strings."""
    for name in material.kind.texts:
        rows: dict[str, list[int]] = {"empty-text": [], "wordless-text": [], "wrong-type": []}
        for i, example in enumerate(split.examples):
            if name in example.inputs and (fault := judge_text(example.inputs[name], tokens=name == "tokens")):
                rows[fault].append(i)
        for code, found in rows.items():
            if found:
                say = material.note if code == "wordless-text" else material.problem
                examples = (f"{split.place(i)} {excerpt(split.examples[i].inputs[name])}" for i in found)
                yield say(code, split.name, f"{pluralize(len(found), 'item')} {_FAULTS[code].format(name)}", examples, len(found))


def judge_text(value: Any, *, tokens: bool = False) -> str | None:
    """Return the fault code of a text or of a list of tokens, or None.

    >>> judge_text("En katt."), judge_text(" "), judge_text("…"), judge_text(7), judge_text(["En", ""], tokens=True)
    (None, 'empty-text', 'wordless-text', 'wrong-type', 'empty-text')
    """
    if value is None or value == "":
        return "empty-text"
    if tokens:
        if not isinstance(value, list) or not all(isinstance(token, str) for token in value):
            return "wrong-type"
        return None if value and all(token and not token.isspace() for token in value) else "empty-text"
    if not isinstance(value, str):
        return "wrong-type"
    return None if _WORD.search(value) else "empty-text" if value.isspace() else "wordless-text"


def _options(material: Material, split: Split) -> Iterator[Finding]:
    if "options" not in material.kind.inputs:
        return
    lists = [(i, [str(o) for o in example.inputs.get("options") or ()]) for i, example in enumerate(split.examples)]
    empty = [i for i, options in lists if not options or not all(o.strip() for o in options)]
    if empty:
        yield material.problem("empty-option", split.name, f"{pluralize(len(empty), 'item')} with an empty option", map(split.place, empty))
    twice = [(i, next(o for o in options if options.count(o) > 1)) for i, options in lists if len(set(options)) < len(options)]
    if twice:
        examples = (f"{split.place(i)} {excerpt(option)}" for i, option in twice)
        yield material.problem("duplicate-option", split.name, f"{pluralize(len(twice), 'item')} offering an option twice", examples)


def _duplicates(material: Material, split: Split) -> Iterator[Finding]:
    rows: defaultdict[Hashable, list[int]] = defaultdict(list)
    for i, example in enumerate(split.examples):
        if example.inputs:
            rows[item_key(material.kind, example)].append(i)
    same: list[list[int]] = []
    odd: list[list[int]] = []
    for group in rows.values():
        if len(group) > 1:
            (odd if answers_conflict(material, [split.examples[i].target for i in group]) else same).append(group)
    if same:
        extra = sum(map(len, same)) - len(same)
        yield material.problem(
            "duplicate", split.name, f"{pluralize(extra, 'repeated item')}", (_again(material, split, g) for g in same), extra
        )
    if odd:
        message = f"{pluralize(len(odd), 'item')} with different answers"
        yield material.problem("contradictory", split.name, message, (_again(material, split, g, answers=True) for g in odd))


def _again(material: Material, split: Split, group: list[int], *, answers: bool = False) -> str:
    rows = ", ".join(str(i + 1) for i in group[:5]) + (" …" if len(group) > 5 else "")
    targets = f" ({', '.join(_answers(split, group))})" if answers else ""
    return f"rows {rows}{targets} {excerpt(shown_text(material.kind, split.examples[group[0]]))}"


def _answers(split: Split, group: list[int]) -> list[str]:
    """Return the first distinct answers of a group, shortened."""
    found = dict.fromkeys(split.examples[i].target for i in group)
    return [(" ".join(map(str, a)) if isinstance(a, tuple) else str(a))[:LONGEST] for a in found][:SHOWN]


def answers_conflict(material: Material, answers: list[Any]) -> bool:
    """Return whether gold answers to the same item contradict each other; numbers on a scale may differ by a tenth of it."""
    known = {answer for answer in answers if answer is not None}
    if len(known) < 2 or material.task.scale is None or not material.kind.answer.by_distance:
        return len(known) > 1
    low, high = material.task.scale
    return bool(max(known) - min(known) > (high - low) / 10)


def item_key(kind: Kind, example: Example) -> Hashable:
    """Return the key that duplicates share: all inputs except answers; the words of a pair are unordered."""
    parts = tuple(_frozen(value) for name, value in example.inputs.items() if name not in ANSWERS)
    return tuple(sorted(parts, key=str)) if kind.name == "word-pair" else parts


def _frozen(value: Any) -> Hashable:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else value if isinstance(value, Hashable) else str(value)


def shown_text(kind: Kind, example: Example) -> str:
    """Return an item's texts on one line, for excerpts; a long context comes last."""
    names = sorted(kind.texts, key=lambda name: name == "context")
    parts = [example.inputs.get(name) for name in names]
    return " – ".join(" ".join(map(str, part)) if isinstance(part, list) else str(part) for part in parts if part)
