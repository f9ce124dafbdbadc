"""Assignment of units to splits before items are made of them: units that share a tie go to the same split."""

from collections.abc import Hashable, Mapping, Sequence

from gluepot.data.scaffolding.splitting import DisjointSets, split_items


def assign(ties: Sequence[Sequence[str]], classes: Sequence[Hashable], shares: Mapping[str, float], seed: int) -> list[str]:
    """Return the split of each unit; units connected by shared ties, directly or through others, go to the same split.

    >>> assign([["a"], ["b"], ["b", "c"], ["c"]], [0] * 4, {"train": 0.5, "test": 0.5}, 0)[1:]
    ['train', 'train', 'train']
    """
    pieces, first = DisjointSets(len(ties)), dict[str, int]()
    for row, names in enumerate(ties):
        for name in names:
            pieces.join(row, first.setdefault(name, row))
    found = split_items(pieces.members(), classes, shares, seed)
    by_row = {row: split for split, rows in found.items() for row in rows}
    return [by_row[row] for row in range(len(ties))]
