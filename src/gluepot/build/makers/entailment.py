"""`entailment`: Winograd schemas as inference: does the clause with a candidate in place of the pronoun follow?"""

from collections.abc import Iterator

from gluepot.build.maker import Item, Maker, Product, register
from gluepot.build.makers.winograd import candidates_of, read_schemas
from gluepot.build.reading.tables import TableRow
from gluepot.build.spans import extract_marked_span
from gluepot.build.workbench import Workbench

LABELS = ("entailment", "not_entailment")
PLACE = "$CANDIDATE"
EXAMPLE = """\
id	text	clause	candidates	answer
1	Pokalen fick inte plats i väskan eftersom den var för stor.	$CANDIDATE var för stor.	Pokalen|Väskan	Pokalen"""


def make_entailment(bench: Workbench) -> Product:
    rows = [row for path in bench.inputs for row in read_schemas(bench, path, {"clause": ("hypothesis", "template")})]
    items = [item for row in rows for item in _items(bench, row)]
    bench.check()
    bench.count("texts", len(rows))
    return Product(items, "pair-classification", LABELS)


def _items(bench: Workbench, row: TableRow) -> Iterator[Item]:
    found = candidates_of(bench, row)
    text, clause = str(row.cells["text"]), str(row.cells["clause"])
    if marked := extract_marked_span(text):
        text = marked[0]
    if PLACE not in clause and (mark := extract_marked_span(clause)):
        clause = mark[0][: mark[1]] + PLACE + mark[0][mark[2] :]
    if clause.count(PLACE) != 1:
        bench.fault(row.path, row.line, f"the clause has one {PLACE}, or the pronoun in square brackets, for the candidate.")
    elif found:
        names, right = found
        for number, name in enumerate(names):
            fields = {"text": text, "pair": clause.replace(PLACE, name), "target": LABELS[number != right]}
            yield Item(fields, row.text("id") or text, row.source, ties=(text,))


ENTAILMENT = register(
    Maker(
        "entailment",
        "Does a clause follow from a text? Winograd schemas with the pronoun replaced by each candidate.",
        "a table of texts, a clause with $CANDIDATE, the candidates as inflected in the clause, and the correct one",
        EXAMPLE,
        make_entailment,
        labelling="As the schemas have it: the clause with the right candidate follows, those with the others do not.",
    )
)
