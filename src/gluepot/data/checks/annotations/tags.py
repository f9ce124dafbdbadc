"""Checks of tags: I- tags that continue no entity."""

from collections.abc import Iterator, Sequence

from gluepot.data.checks.findings import Finding, excerpt
from gluepot.data.checks.material import CHECKS, Material
from gluepot.plurals import pluralize


def orphan_tag_positions(tags: Sequence[str]) -> list[int]:
    """Return the positions of I- tags that follow no tag of their type.

    >>> orphan_tag_positions(["O", "I-PER", "I-PER", "B-LOC", "I-PER"])
    [1, 4]
    """
    found = []
    for i, tag in enumerate(tags):
        if tag.startswith("I-") and (i == 0 or tags[i - 1] not in (tag, f"B-{tag[2:]}")):
            found.append(i)
    return found


@CHECKS.register("tags")
def check_tags(material: Material) -> Iterator[Finding]:
    if not material.kind.answer.per_token:
        return
    for split in material.splits.values():
        count, examples = 0, []
        for row, (record, example) in enumerate(zip(split.records, split.examples, strict=True)):
            tags, tokens = split.shape.target(record), example.inputs.get("tokens")
            if isinstance(tags, list | tuple) and isinstance(tokens, list):
                places = orphan_tag_positions([str(tag) for tag in tags])
                count += len(places)
                examples += [f"{split.place(row)} {tags[i]} on {excerpt(tokens[i])}" for i in places if i < len(tokens)]
        if count:
            yield material.problem("orphan-tag", split.name, f"{pluralize(count, 'I- tag')} after no tag of the same type", examples, count)
