"""`diagnostic`: a translated diagnostic set aligned with its source: ids, order, labels and tags are the source's."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gluepot.build.maker import Item, Maker, Product, register
from gluepot.build.reading.tables import TableRow, read_rows
from gluepot.build.workbench import Workbench
from gluepot.errors import canonical_name
from gluepot.plurals import pluralize

WANTED = {"text": ("premise", "sentence1"), "pair": ("hypothesis", "sentence2"), "label": ("target", "gold_label")}
OPTIONAL = {"id": ("idx", "index")}
EXAMPLE = """\
{"id": 0, "label": "contradiction", "premise": "The cat sat.", "hypothesis": "The cat did not sit.", "logic": "Negation"}

and, in a second file, the translation of the same rows"""
COARSE = {"contradiction": "not_entailment", "neutral": "not_entailment", "entailment": "entailment", "not_entailment": "not_entailment"}
NOT_TAGS = ("text", "pair", "label", "id", "domain", "meta", "domain-original")
MOST = 20


def make_diagnostic(bench: Workbench) -> Product:
    if len(bench.inputs) != 2:
        bench.fault(bench.inputs[0], None, "two files: the source, and its translation (or two translations), row by row.")
        bench.check()
    source, other = (_read(bench, path) for path in bench.inputs)
    if len(source) != len(other):
        bench.fault(bench.inputs[1], None, f"row by row: {len(other):,} there, and {len(source):,} in {bench.inputs[0].name}.")
    bench.check()
    bench.count("rows", len(source))
    _compare(bench, source, other)
    bench.check()
    tags = _tag_names(source)
    items = [_item(bench, a, b, number, tags) for number, (a, b) in enumerate(zip(source, other, strict=True))]
    labels = sorted({item.row["target"] for item in items})
    extra = {"slices": {"fields": {name: name for name in tags}, "separator": ";"}} if tags else {}
    return Product(items, "pair-classification", labels, ordered=True, whole=True, extra=extra)


def _read(bench: Workbench, path: Path) -> list[TableRow]:
    rows = read_rows(bench, path, WANTED, OPTIONAL)
    return [TableRow(row.path, row.line, _flat(row.cells)) for row in rows]


def _flat(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Flatten nested records and normalise names."""
    inner = {key: value for cell in cells.values() if isinstance(cell, Mapping) for key, value in cell.items()}
    plain = {key: value for key, value in cells.items() if not isinstance(value, Mapping)}
    return {key if key in (*WANTED, *OPTIONAL) else canonical_name(key): value for key, value in {**inner, **plain}.items()}


def _tag_names(rows: Sequence[TableRow]) -> list[str]:
    names = dict.fromkeys(name for row in rows for name in row.cells)
    return [name for name in names if name not in NOT_TAGS and all(isinstance(row.cells.get(name) or "", str) for row in rows)]


def _tags(row: TableRow, names: Sequence[str]) -> set[tuple[str, str]]:
    return {(name, tag.strip()) for name in names for tag in row.text(name).split(";") if tag.strip()}


def _name(row: TableRow, number: int) -> str:
    return row.text("id") or str(number)


def _compare(bench: Workbench, source: Sequence[TableRow], other: Sequence[TableRow]) -> None:
    """Record where source and translation differ; the source takes precedence."""
    names = sorted(set(_tag_names(source)) | set(_tag_names(other)))
    both = list(zip(source, other, strict=True))
    labels = [_name(a, n) for n, (a, b) in enumerate(both) if _label(a) != _label(b)]
    tags = [_name(a, n) for n, (a, b) in enumerate(both) if _tags(a, names) != _tags(b, names)]
    same = [_name(a, n) for n, (a, b) in enumerate(both) if a.text("text") == b.text("text") or a.text("pair") == b.text("pair")]
    for what, rows in (("labels agree", labels), ("tags agree", tags), ("both texts translated", same)):
        bench.count(what, len(source) - len(rows))
        if rows:
            more = f" and {len(rows) - MOST:,} more" if len(rows) > MOST else ""
            bench.note(
                f"{what.replace('agree', 'differ').replace('both texts translated', 'texts not translated')} in {_rows(rows[:MOST])}{more}"
            )
    for path, side in zip(bench.inputs, (source, other), strict=True):
        pairs, mirrored = _mirrors(side)
        bench.count(f"mirrored pairs of rows in {path.name}", mirrored)
        bench.note(f"{path.name}: {mirrored:,} of {pluralize(pairs, 'pair')} of neighbouring rows mirror each other")
    split = list(_parted(both))
    if split:
        bench.note(f"premises that are equal in {bench.inputs[0].name} and not in {bench.inputs[1].name}: {_rows(split[:MOST])}")


def _rows(names: Sequence[str]) -> str:
    return f"row{'s' if len(names) > 1 else ''} {', '.join(names)}"


def _label(row: TableRow) -> str:
    """Return the label, reduced to entailment or not_entailment where applicable."""
    return COARSE.get(row.text("label"), row.text("label"))


def _mirrors(rows: Sequence[TableRow]) -> tuple[int, int]:
    """Return the number of pairs of adjacent rows, and of those in which premise and hypothesis are swapped."""
    pairs = list(zip(rows[::2], rows[1::2], strict=False))
    turned = [a.text("text") == b.text("pair") and a.text("pair") == b.text("text") for a, b in pairs]
    return len(pairs), sum(turned)


def _parted(both: Sequence[tuple[TableRow, TableRow]]) -> Iterator[str]:
    """Yield rows whose premise equals an earlier one in the source but not in the translation."""
    first: dict[str, str] = {}
    for number, (a, b) in enumerate(both):
        if first.setdefault(a.text("text"), b.text("text")) != b.text("text"):
            yield _name(a, number)


def _item(bench: Workbench, source: TableRow, other: TableRow, number: int, tags: Sequence[str]) -> Item:
    name = _name(source, number)
    fields = {"text": str(other.cells["text"]), "pair": str(other.cells["pair"]), "target": source.text("label")}
    return Item(
        {**fields, **{tag: source.text(tag) for tag in tags}},
        f"{bench.inputs[0].stem}-{number // 2}",
        f"{source.source}, {other.source}",
        id=name,
    )


DIAGNOSTIC = register(
    Maker(
        "diagnostic",
        "Does one text follow from another? A translated diagnostic set with the categories of its source.",
        "the source and its translation, row by row: tables or JSON Lines",
        EXAMPLE,
        make_diagnostic,
        labelling="The source's labels and tags; where the translation's differ, the sheet says so.",
    )
)
