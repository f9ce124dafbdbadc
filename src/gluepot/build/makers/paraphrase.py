"""`paraphrase`: do two texts mean the same, or does one follow from the other? Human-labelled pairs."""

from collections.abc import Iterator

from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.reading.tables import TableRow, read_rows
from gluepot.build.workbench import Workbench

WANTED = {"text": ("txt1", "text1", "sentence1"), "pair": ("txt2", "text2", "sentence2"), "label": ("target",)}
OPTIONAL = {"group": ("goeswith", "document", "doc")}
EXAMPLE = """\
text	pair	label	group
Ge mig något fint.	Jag vill ha något fint.	4	film-1
Vi ses i morgon.	Vi ses.	4>	film-1
Kom hit!	Stanna där!	2	film-2"""
FORMS = {"paraphrase": ("paraphrase", "not_paraphrase"), "entailment": ("entailment", "not_entailment")}
GENERAL = "<>"


def make_paraphrase(bench: Workbench) -> Product:
    rows = [row for path in bench.inputs for row in read_rows(bench, path, WANTED, OPTIONAL)]
    for row in rows:
        if not _grade(row).isdecimal():
            bench.fault(row.path, row.line, f"the label {row.text('label')!r} is not a grade such as 4, 4>, 3 or 2.")
    bench.check()
    bench.count("pairs", len(rows))
    if bench["form"] == "paraphrase":
        rows = bench.filter(
            "that are not one-way", rows, lambda row: not set(row.text("label")) & set(GENERAL) or int(_grade(row)) < bench["least"]
        )
    items = [item for row in rows for item in _items(row, bench["form"], bench["least"])]
    return Product(items, "pair-classification", FORMS[bench["form"]], balanced=bench["balance"] == "yes")


def _grade(row: TableRow) -> str:
    return row.text("label").rstrip("<>si ")


def _items(row: TableRow, form: str, least: int) -> Iterator[Item]:
    a, b, label = row.text("text"), row.text("pair"), row.text("label")
    same = int(_grade(row)) >= least
    group = row.text("group") or row.source
    if form == "paraphrase":
        yield Item({"text": a, "pair": b, "target": FORMS[form][not same]}, group, row.source)
        return
    # `>`: the first says more than the second, so that only the second follows; `<` the reverse
    for text, pair, against in ((a, b, "<"), (b, a, ">")):
        yield Item({"text": text, "pair": pair, "target": FORMS[form][not same or against in label]}, group, row.source)


PARAPHRASE = register(
    Maker(
        "paraphrase",
        "Do two texts mean the same?",
        "a table or JSON of graded pairs: 4 for the same meaning, 4> and 4< if one says more, 3 or less otherwise",
        EXAMPLE,
        make_paraphrase,
        (
            Option(
                "form",
                "paraphrase",
                "paraphrase or not; or entailment in both directions, which distinguishes one-way pairs",
                ("paraphrase", "entailment"),
            ),
            Option("least", 4, "minimum grade of a paraphrase"),
            Option("balance", "no", "balance the labels in every split", ("no", "yes")),
        ),
        labelling="By people, as the input has it.",
    )
)
