"""`split`: split a table of items: stratified and grouped, near-copies on one side, or exactly as scikit-learn or pandas would."""

from collections.abc import Sequence
from typing import Any

from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.workbench import Workbench, sample
from gluepot.data.scaffolding.proposals import Proposal, propose
from gluepot.data.scaffolding.tables import SourceTable, TableFaults, read_table, split_in
from gluepot.errors import GluepotError, WrongUse
from gluepot.plurals import pluralize
from gluepot.tasks import KINDS

EXAMPLE = """\
text,label
Stórur dagur!,positive
Tað regnar.,negative"""
SIZES = (1024, 256, 2048)


def make_split(bench: Workbench) -> Product:
    source = _read(bench)
    told = dict(part.partition("=")[::2] for part in bench["field"])
    if bench["group"]:
        told["group"] = bench["group"]
    proposal = propose(bench["kind"], source.rows, told, "item")
    proposal.rows = {split: rows for split, rows in proposal.rows.items() if rows}
    rows = [(split, row) for split, part in proposal.rows.items() for row in part]
    bench.count("rows", len(rows))
    places = {id(row): place for split, part in source.rows.items() for row, place in zip(part, source.places[split], strict=True)}
    items = [_item(proposal, row, places[id(row)], split) for split, row in rows]
    exact = bench["cut"] != "even"
    if exact:
        items = _cut(bench, items)
    elif len(proposal.rows) > 1 and bench["keep"] != "yes":
        for item in items:
            item.split = ""
    kind = KINDS[bench["kind"]]
    return Product(items, kind.name, proposal.labels, proposal.scale, ordered=exact)


def _read(bench: Workbench) -> SourceTable:
    if bench["kind"] not in KINDS:
        raise WrongUse(f"--kind is one of {', '.join(KINDS)}.")
    table = SourceTable()
    for path in bench.inputs:
        try:
            one = read_table([path])
        except TableFaults as error:
            bench.faults += error.lines
            continue
        except GluepotError as error:
            bench.faults.append(str(error))
            continue
        split = split_in(path) if len(bench.inputs) > 1 else ""
        for name, rows in one.rows.items():
            table.rows.setdefault(name or split, []).extend(rows)
            table.places.setdefault(name or split, []).extend(one.places[name])
    bench.check()
    return table


def _item(proposal: Proposal, row: dict[str, Any], source: str, split: str) -> Item:
    fields = {ours: row[theirs] for ours, theirs in proposal.fields.items() if ours not in ("id", "group") and theirs in row}
    name = str(row[proposal.fields["id"]])
    group = str(row[proposal.fields["group"]]) if "group" in proposal.fields else name
    return Item(fields, group, source, split=split, id=name)


def _cut(bench: Workbench, items: list[Item]) -> list[Item]:
    """Split as scikit-learn's train_test_split or pandas' sample do, in their order; pandas samples given splits separately."""
    sizes = _sizes(bench, len(items))
    if bench["cut"] == "sklearn":
        return _sklearn(bench, items, sizes)
    found: list[Item] = []
    pools = {split: [item for item in items if item.split == split] for split in ("train", "dev", "test")}
    given = {split: pool for split, pool in pools.items() if pool}
    left = [item for item in items if item.split not in ("dev", "test")] if given else list(items)
    for split in ("dev", "test", "train"):
        pool = given.get(split, []) if split != "train" and given.get(split) else left
        places = sample(len(pool), min(sizes[split], len(pool)), bench.seed)
        drawn = [pool[place] for place in places]
        taken = {id(item) for item in drawn}
        left = [item for item in left if id(item) not in taken]
        found += _to(split, drawn)
    return found


def _sklearn(bench: Workbench, items: list[Item], sizes: dict[str, int]) -> list[Item]:
    """Take test first, then dev from the rest: each time the first indices of a permutation are the held-out set."""
    order = sample(len(items), len(items), bench.seed)
    test, rest = [items[place] for place in order[: sizes["test"]]], [items[place] for place in order[sizes["test"] :]]
    again = sample(len(rest), len(rest), bench.seed) if sizes["dev"] else range(len(rest))
    mixed = [rest[place] for place in again]
    dev, train = mixed[: sizes["dev"]], mixed[sizes["dev"] :]
    return [*_to("train", train[: sizes["train"]]), *_to("dev", dev), *_to("test", test)]


def _to(split: str, items: Sequence[Item]) -> Sequence[Item]:
    for item in items:
        item.split = split
    return items


def _sizes(bench: Workbench, count: int) -> dict[str, int]:
    parts = bench["sizes"].split(",")
    if len(parts) != 3 or not all(part.strip().isdecimal() for part in parts):
        raise WrongUse(f"--sizes {bench['sizes']}: rows for train, dev and test, as in 1024,256,2048.")
    sizes = dict(zip(("train", "dev", "test"), map(int, parts), strict=True))
    if sizes["dev"] + sizes["test"] >= count:
        raise WrongUse(f"--sizes {bench['sizes']}: nothing is left for train of {pluralize(count, 'row')}.")
    return sizes


SPLIT = register(
    Maker(
        "split",
        "Split a table of items.",
        "tables for one kind of task: CSV, TSV, JSON, JSON Lines, Parquet",
        EXAMPLE,
        make_split,
        (
            Option("kind", "classification", "the kind of task"),
            Option("field", [], "map a column to a field, such as text=review; can be repeated", many=True),
            Option("group", "", "a column; rows with the same value stay in the same split"),
            Option(
                "cut",
                "even",
                "stratified by label with near-duplicates in the same split, or exactly as pandas or scikit-learn sample",
                ("even", "pandas", "sklearn"),
            ),
            Option("sizes", ",".join(map(str, SIZES)), "sizes of train, dev and test with --cut pandas or sklearn"),
            Option("keep", "yes", "keep the splits in the tables", ("yes", "no")),
        ),
        labelling="The table's own.",
        seed=4242,
    )
)
