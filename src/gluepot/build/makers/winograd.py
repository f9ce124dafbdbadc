"""`winograd`: does a pronoun refer to a candidate? One item per candidate, all items of a text in one split."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gluepot.build.maker import Item, Maker, Product, register
from gluepot.build.reading.tables import TableRow, read_rows
from gluepot.build.spans import extract_marked_span, occurrences, word_index
from gluepot.build.workbench import Workbench

OPTIONAL = {"id": ("snippet_id", "text_id", "template_id"), "pronoun": (), "pronoun_start": ("start",)}
WANTED = {"text": ("sentence",), "candidates": ("options", "answers"), "answer": ("label", "target")}
EXAMPLE = """\
id	text	candidates	answer
1	Pokalen fick inte plats i väskan eftersom [den] var för stor.	Pokalen|väskan	Pokalen
2	Pokalen fick inte plats i väskan eftersom [den] var för liten.	Pokalen|väskan	väskan"""


def read_schemas(bench: Workbench, path: Path, more: Mapping[str, Sequence[str]] = {}) -> list[TableRow]:
    """Return texts with candidates, one of which is correct."""
    return read_rows(bench, path, {**WANTED, **more}, OPTIONAL)


def candidates_of(bench: Workbench, row: TableRow) -> tuple[list[str], int] | None:
    """Return the candidates and the index of the correct one, which the table gives by name or by index from 0; None if invalid."""
    cell: Any = row.cells["candidates"]
    names = [str(name).strip() for name in (cell if isinstance(cell, list) else str(cell).split("|"))]
    answer = row.text("answer")
    right = names.index(answer) if answer in names else int(answer) if answer.isdecimal() and int(answer) < len(names) else None
    if len(set(names)) < 2 or right is None:
        bench.fault(row.path, row.line, f"candidates are two or more, as in Anna|Lisa, and the answer is one of them: {answer!r} is not.")
        return None
    return names, right


def make_winograd(bench: Workbench) -> Product:
    rows = [row for path in bench.inputs for row in read_schemas(bench, path)]
    items = [item for row in rows for item in _items(bench, row)]
    bench.check()
    bench.count("texts", len(rows))
    return Product(items, "coreference", ("true", "false"))


def _items(bench: Workbench, row: TableRow) -> Iterator[Item]:
    found, place = candidates_of(bench, row), _pronoun(bench, row)
    if found is None or place is None:
        return
    text, start, end = place
    names, right = found
    group = row.text("id") or text
    for number, name in enumerate(names):
        spots = occurrences(text, name)
        if len(spots) != 1:
            many = "stands nowhere" if not spots else "stands several times"
            bench.fault(row.path, row.line, f"the candidate {name!r} {many} in the text.")
            continue
        fields = {"text": text, "first": text[start:end], "first-start": start, "first-end": end, "first-word": word_index(text, start)}
        fields |= {"second": name, "second-start": spots[0], "second-end": spots[0] + len(name), "second-word": word_index(text, spots[0])}
        yield Item({**fields, "target": "true" if number == right else "false"}, group, row.source, ties=(text,))


def _pronoun(bench: Workbench, row: TableRow) -> tuple[str, int, int] | None:
    """Return the text and its pronoun's span: marked by [ ], given by its start, or its only occurrence; None if not found."""
    text, pronoun, start = str(row.cells["text"]), row.text("pronoun"), row.text("pronoun_start")
    if marked := extract_marked_span(text):
        return marked
    spots = [int(start)] if start.isdecimal() else occurrences(text, pronoun) if pronoun else []
    if len(spots) == 1 and text[spots[0] : spots[0] + len(pronoun)] == pronoun:
        return text, spots[0], spots[0] + len(pronoun)
    bench.fault(row.path, row.line, "which pronoun? Put it in square brackets in the text, as in … eftersom [den] var för stor.")
    return None


WINOGRAD = register(
    Maker(
        "winograd",
        "A pronoun and a candidate marked in a text: do they refer to the same entity?",
        "a table of texts with the pronoun in square brackets, candidates separated by |, and the correct one",
        EXAMPLE,
        make_winograd,
        labelling="As the schemas have it.",
    )
)
