"""`matching`: which answer belongs to a question? The options are all answers of its category, in a fixed order."""

from collections import defaultdict

from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.reading.tables import TableRow, read_rows
from gluepot.build.workbench import Workbench

WANTED = {"question": ("text",), "answer": ("correct_answer", "label")}
OPTIONAL = {"category": ("category_id", "topic", "group", "section")}
EXAMPLE = """\
category	question	answer
vaccin	Kan jag vaccinera mig om jag är allergisk?	Ja, men tala med en läkare först.
vaccin	Vad kostar det?	Ingenting."""


def make_matching(bench: Workbench) -> Product:
    rows = [row for path in bench.inputs for row in read_rows(bench, path, WANTED, OPTIONAL)]
    bench.check()
    bench.count("questions", len(rows))
    categories: dict[str, list[TableRow]] = defaultdict(list)
    for row in rows:
        categories[row.text("category") or row.path.stem].append(row)
    rng = bench.rng
    items = []
    for name, members in categories.items():
        answers = list(dict.fromkeys(row.text("answer") for row in members))
        if not bench["least"] <= len(answers) <= bench["most"]:
            continue
        rng.shuffle(answers)  # one order for all questions of the category
        for row in members:
            fields = {"text": row.text("question"), "options": answers, "target": answers.index(row.text("answer"))}
            items.append(Item(fields, name, row.source))
    bench.count(f"answers of the category {bench['least']} to {bench['most']}", len(items))
    return Product(items, "choice")


MATCHING = register(
    Maker(
        "matching",
        "Which answer belongs to a question, among the answers of its category?",
        "a table of questions, answers and categories",
        EXAMPLE,
        make_matching,
        (Option("least", 2, "minimum number of answers per category"), Option("most", 40, "maximum number of answers per category")),
        labelling="The table pairs questions with answers.",
    )
)
