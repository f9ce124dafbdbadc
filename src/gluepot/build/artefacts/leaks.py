"""Overlap between splits: texts, verbatim or nearly so, answers, and groups."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from gluepot.build.artefacts.features import words
from gluepot.build.artefacts.near_copies import near_of
from gluepot.records import Example
from gluepot.tasks import Kind


class SplitLeak(Struct, frozen=True):
    """Overlap of a split with an earlier one."""

    what: str
    """A field, `item` for all of them, `word pair`, `answer` or `group`."""
    known: str
    split: str
    items: int
    copies: int
    """Items found verbatim, ignoring case and punctuation; texts without words are compared symbol by symbol."""
    near: int
    """Items found nearly verbatim (four words in five), copies included; equal to `copies` where only exact matches count."""


PAIRS = (("train", "dev"), ("train", "test"), ("dev", "test"))
ROLES = {"val": "dev", "validation": "dev", "training": "train"}


def find_leaks(kind: Kind, splits: Mapping[str, Sequence[Example]]) -> list[SplitLeak]:
    """Return all overlaps between the available splits."""
    by_role = {ROLES.get(name, name): name for name in splits}
    found: list[SplitLeak] = []
    for known, split in PAIRS:
        if known in by_role and split in by_role:
            sides = splits[by_role[known]], splits[by_role[split]]
            found += [leak for leak in _leaks(kind, by_role[known], by_role[split], *sides) if leak.near]
    return found


def _leaks(kind: Kind, known: str, split: str, ours: Sequence[Example], theirs: Sequence[Example]) -> Iterator[SplitLeak]:
    for name in kind.texts if len(kind.texts) > 1 else ():
        if any(name in example.inputs for example in theirs[:1]):
            yield _texts(name, known, split, [_words(e, (name,)) for e in ours], [_words(e, (name,)) for e in theirs])
    yield _texts("item", known, split, [_words(e, kind.texts) for e in ours], [_words(e, kind.texts) for e in theirs])
    if {"a", "b", "c"} <= set(kind.inputs):
        yield _word_pairs(known, split, ours, theirs)
    elif kind.answer.free and not kind.answer.graded:
        yield _same("answer", known, split, [str(e.target) for e in ours], [str(e.target) for e in theirs if e.target is not None])
    if any(e.group for e in theirs):
        yield _same("group", known, split, [e.group or "" for e in ours], [e.group for e in theirs if e.group])


def _word_pairs(known: str, split: str, ours: Sequence[Example], theirs: Sequence[Example]) -> SplitLeak:
    """Count items whose pair of c and the answer appears in the other split as either word pair."""
    seen = {pair for e in ours for pair in ((e.inputs["a"], e.inputs["b"]), (e.inputs["c"], e.target))}
    count = sum((e.inputs["c"], e.target) in seen for e in theirs)
    return SplitLeak("word pair", known, split, len(theirs), count, count)


def _words(example: Example, fields: Sequence[str]) -> list[str]:
    """Return the words of some fields, or the symbols of a field without words; words of several fields are prefixed with the field's
    name, so that a premise never matches a hypothesis."""
    texts = ((name, example.inputs.get(name, "")) for name in fields)
    joined = ((name, " ".join(map(str, text)) if isinstance(text, list | tuple) else str(text)) for name, text in texts)
    return [word if len(fields) == 1 else f"{name} {word}" for name, text in joined for word in words(text) or text.split()]


def _texts(what: str, known: str, split: str, ours: Sequence[list[str]], theirs: Sequence[list[str]]) -> SplitLeak:
    exact = {tuple(text) for text in ours}
    written = [text for text in theirs if text]
    copies = [tuple(text) in exact for text in written]
    alike = near_of(ours, written)
    near = sum(copy or place in alike for place, copy in enumerate(copies))
    return SplitLeak(what, known, split, len(theirs), sum(copies), near)


def _same(what: str, known: str, split: str, ours: Sequence[str], theirs: Sequence[str]) -> SplitLeak:
    seen = {text.casefold() for text in ours}
    count = sum(text.casefold() in seen for text in theirs)
    return SplitLeak(what, known, split, len(theirs), count, count)
