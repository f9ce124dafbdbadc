"""`errors`: is a sentence correct? Corrected learner sentences, and each of them with one of its errors."""

from collections.abc import Iterator, Sequence

from gluepot.build.corruption import join_by_rules
from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.reading.edits import CorrectedSentence, read_corrections
from gluepot.build.workbench import Workbench

LABELS = ("correct", "incorrect")
EXAMPLE = """\
original	corrected
Jag gillar att läser böcker .	Jag gillar att läsa böcker .

or M2:
S Jag gillar att läser böcker .
A 3 4|||Verb|||läsa|||REQUIRED|||-NONE-|||0"""


def make_errors(bench: Workbench) -> Product:
    sentences = read_corrections(bench)
    bench.check()
    bench.count("sentences", len(sentences))
    bench.count("with an error", sum(bool(sentence.edits) for sentence in sentences))
    bench.count("errors", sum(len(sentence.edits) for sentence in sentences))
    right = {_text(sentence.tokens) for sentence in sentences}
    items = [item for sentence in sentences for item in _items(sentence, right)]
    bench.count("items", len(items))
    return Product(items, "classification", LABELS, balanced=bench["balance"] == "yes")


def _items(sentence: CorrectedSentence, right: set[str]) -> Iterator[Item]:
    """Yield the corrected sentence, and for each error the sentence with that error reintroduced."""
    text = _text(sentence.tokens)
    empty = {"start": 0, "end": 0, "correction": "", "error": ""}
    yield Item({"text": text, "target": "correct", **empty}, text, sentence.source)
    for start, end, written, sort in sentence.edits:
        before, after = sentence.tokens[:start], sentence.tokens[end:]
        wrong = _text((*before, *written, *after))
        if wrong not in right:
            place, stop = _span(before, written, wrong)
            more = {"start": place, "end": stop, "correction": _text(sentence.tokens[start:end]), "error": sort}
            yield Item({"text": wrong, "target": "incorrect", **more}, text, sentence.source)


def _text(tokens: Sequence[str]) -> str:
    return join_by_rules(tokens)


def _span(before: Sequence[str], written: Sequence[str], wrong: str) -> tuple[int, int]:
    """Return the span of the error, half-open; empty if a word is missing."""
    start = len(_text(before))
    shown = _text(written)
    found = wrong.find(shown, start) if shown else start
    return (found, found + len(shown)) if found >= 0 else (start, start)


ERRORS = register(
    Maker(
        "errors",
        "Is a sentence correct? Corrected learner sentences, and the same with one error.",
        "learner sentences and corrections: two CoNLL-U files in the same order, a table, or M2",
        EXAMPLE,
        make_errors,
        (Option("balance", "yes", "balance correct and incorrect items in every split", ("yes", "no")),),
        labelling="Correctors marked the errors; an item has exactly one of them, or none.",
    )
)
