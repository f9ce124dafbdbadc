"""Checks of sizes: published numbers of items, tokens or passages, and splits that cannot be read to the end."""

from collections.abc import Iterator

from gluepot.data.checks.findings import Finding
from gluepot.data.checks.material import CHECKS, Material, Split
from gluepot.plurals import pluralize


@CHECKS.register("sizes")
def check_sizes(material: Material) -> Iterator[Finding]:
    for split in material.splits.values():
        if split.error:
            yield material.problem("unreadable", split.name, f"reading stopped after {pluralize(len(split), 'record')}: {split.error}")
        yield from _compare(material, split)


def _compare(material: Material, split: Split) -> Iterator[Finding]:
    unit, here, published = split.source.counts, measure(split), split.source.rows.get(split.name)
    if published is None:
        yield material.note("size-unpublished", split.name, f"{pluralize(here, unit.removesuffix('s'))}; no size was published")
    elif here != published:
        counted = pluralize(here, unit.removesuffix("s"))
        yield material.problem("size", split.name, f"{counted}, published are {published:,}", count=abs(here - published))


def measure(split: Split) -> int:
    """Return the size of a split in its publisher's unit: tokens, items, or groups by any other name (passages)."""
    if split.source.counts == "tokens":
        return sum(len(example.inputs.get("tokens") or ()) for example in split.examples)
    if split.source.counts != "items" and split.shape.group is not None:
        return len({example.group for example in split.examples})
    return len(split)
