"""Checks of groups: items that do not share what the rest of their group shares."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence

from gluepot.data.checks.findings import Finding, excerpt
from gluepot.data.checks.items.contents import shown_text
from gluepot.data.checks.material import CHECKS, Material, Split
from gluepot.plurals import pluralize

SHARED = ("options", "context")
"""Inputs that items of one group may have in common."""
RULE = 0.75
"""Share of items that must agree with their group before the others are reported."""


@CHECKS.register("groups")
def check_groups(material: Material) -> Iterator[Finding]:
    for split in material.splits.values():
        for name in SHARED:
            if split.shape.group is not None and name in split.shape.inputs:
                yield from _compare(material, split, name)


def _compare(material: Material, split: Split, name: str) -> Iterator[Finding]:
    pairs = [(i, e.group, _frozen(e.inputs.get(name))) for i, e in enumerate(split.examples) if e.group is not None]
    reasons = misplaced_rows(pairs, name)
    if reasons:
        texts = (excerpt(shown_text(material.kind, split.examples[i])) for i in reasons)
        examples = (
            f"{split.place(i)} in group {split.examples[i].group}, {reasons[i]} {text}" for i, text in zip(reasons, texts, strict=True)
        )
        yield material.problem("wrong-group", split.name, f"{pluralize(len(reasons), 'item')} in a group of other {name}", examples)


def misplaced_rows(pairs: list[tuple[int, str, Hashable]], name: str) -> dict[int, str]:
    """Return rows in the wrong group, with the reason: their value is another group's, or differs from their group's.

    >>> misplaced_rows([(0, "a", "x"), (1, "a", "x"), (2, "a", "y"), (3, "b", "y"), (4, "b", "y"), (5, "c", "z"), (6, "c", "z")], "options")
    {2: 'with the options of group b'}
    """
    if not _majorities(pairs):
        return {}
    homes = _majorities([(row, thing, group) for row, group, thing in pairs])
    found = {row: f"with the {name} of group {homes[thing]}" for row, group, thing in pairs if homes.get(thing, group) != group}
    rest = [(row, group, thing) for row, group, thing in pairs if row not in found]
    usual = _majorities(rest)
    found |= {row: f"unlike the {name} of its group" for row, group, thing in rest if usual.get(group, thing) != thing}
    return dict(sorted(found.items()))


def _majorities(pairs: Sequence[tuple[int, Hashable, Hashable]]) -> dict[Hashable, Hashable]:
    """Map each key to its most frequent value; empty unless most rows with a shared key agree."""
    values: defaultdict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    for _, key, value in pairs:
        values[key][value] += 1
    several = [counts for counts in values.values() if counts.total() > 1]
    agreeing = sum(max(counts.values()) for counts in several)
    if agreeing < RULE * sum(counts.total() for counts in several):
        return {}
    return {key: counts.most_common(1)[0][0] for key, counts in values.items()}


def _frozen(value: object) -> Hashable:
    return frozenset(map(str, value)) if isinstance(value, list | tuple) else str(value)
