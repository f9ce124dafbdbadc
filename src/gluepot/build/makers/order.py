"""`order`: are sentences in their original order? Runs of sentences of a text, and the same sentences shuffled."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.reading.conllu import read_conllu
from gluepot.build.reading.tables import read_lines
from gluepot.build.sentences import sentence_spans
from gluepot.build.workbench import Workbench

LABELS = ("ordered", "shuffled")
EXAMPLE = """\
Hann gekk út. Það var kalt. Hann fór aftur inn. Þar var heitt.

One paragraph per text; or CoNLL-U with `# newdoc`"""


def make_order(bench: Workbench) -> Product:
    documents = [document for path in bench.inputs for document in _documents(bench, path)]
    bench.check()
    bench.count("documents", len(documents))
    length = bench["sentences"]
    documents = bench.filter(f"sentences at least {length}", documents, lambda document: len(document[1]) >= length)
    items = list(_items(bench, documents, length))
    bench.count("runs, each in two orders", len(items))
    return Product(items, "classification", LABELS, balanced=True)


Document = tuple[str, list[str]]


def _documents(bench: Workbench, path: Path) -> Iterator[Document]:
    """Yield documents as a name and sentences."""
    if path.suffix == ".conllu":
        found: dict[str, list[str]] = {}
        for sentence in read_conllu(bench, path):
            found.setdefault(sentence.document or path.name, []).append(sentence.text)
        yield from found.items()
        return
    paragraph: list[str] = []
    first = 1
    for number, line in enumerate([*read_lines(bench, path), ""], start=1):
        if line.strip():
            first = first if paragraph else number
            paragraph.append(line.strip())
        elif paragraph:
            text = " ".join(paragraph)
            yield f"{path.name}:{first}", [text[start:end] for start, end in sentence_spans(text)]
            paragraph = []


def _items(bench: Workbench, documents: Sequence[Document], length: int) -> Iterator[Item]:
    rng = bench.rng
    for name, sentences in documents:
        for start in range(0, len(sentences) - length + 1, length):
            run = sentences[start : start + length]
            if len(set(run)) < length:
                continue
            mixed = run
            while mixed == run:
                mixed = rng.sample(run, length)
            for label, order in zip(LABELS, (run, mixed), strict=True):
                yield Item({"text": " ".join(order), "target": label}, name, f"{name}, sentence {start + 1}")


ORDER = register(
    Maker(
        "order",
        "Are these sentences in their original order?",
        "texts with one paragraph per line, or CoNLL-U with documents",
        EXAMPLE,
        make_order,
        (Option("sentences", 4, "sentences per item", least=2),),
    )
)
