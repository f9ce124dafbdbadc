"""`qnli`: does a sentence contain the answer to a question? Questions paired with the sentences of their context."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gluepot.build.artefacts.features import jaccard
from gluepot.build.assignment import assign
from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.matching import match_pairs
from gluepot.build.reading.squad import ContextQuestion, read_squad
from gluepot.build.sentences import sentence_spans
from gluepot.build.workbench import Workbench

LABELS = ("entailment", "not_entailment")
EXAMPLE = """\
{"data": [{"title": "Bergen", "paragraphs": [{"context": "Bergen er en by. Den ligger ved havet.",
  "qas": [{"id": 1, "question": "Hvor ligger Bergen?", "answers": [{"text": "ved havet", "answer_start": 28}]}]}]}]}"""
CALIPER = 0.02
"""Maximum difference in overlap between a positive and its matched negative."""


@dataclass(frozen=True)
class QuestionPair:
    """Question paired with a sentence."""

    question: ContextQuestion
    sentence: str
    holds: bool
    overlap: float


def make_qnli(bench: Workbench) -> Product:
    questions = [question for path in bench.inputs for question in read_squad(bench, path)]
    bench.check()
    bench.count("questions", len(questions))
    questions = bench.filter("with an answer in their context", questions, lambda question: question.answers)
    if bench["turns"] == "first":
        questions = bench.filter("that need no earlier turn", questions, lambda question: question.turn == 0)
    pairs = {question: list(_pairs(question)) for question in questions}
    kept = bench.filter("with the answer in one sentence", questions, lambda question: sum(pair.holds for pair in pairs[question]) == 1)
    kept = bench.filter("with another sentence", kept, lambda question: len(pairs[question]) > 1)
    sides = assign([_ties(bench, question) for question in kept], [0] * len(kept), bench.shares, bench.seed)
    items: list[Item] = []
    for split in dict.fromkeys(sides):
        part = [pairs[question] for question, side in zip(kept, sides, strict=True) if side == split]
        items += [_item(pair, split) for pair in _choose(bench, part)]
    bench.count(f"pairs, negatives {bench['negatives']}", len(items))
    return Product(items, "pair-classification", LABELS, balanced=True)


def _ties(bench: Workbench, question: ContextQuestion) -> list[str]:
    """Return what must stay in one split: the context, verbatim questions, and the document if requested."""
    document = [question.document] if bench["split-by"] == "document" else []
    return [question.context, question.text.casefold(), *document]


def _pairs(question: ContextQuestion) -> Iterator[QuestionPair]:
    """Yield the question with each sentence of its context, except those that contain the answer's words without being the answer."""
    for start, end in sentence_spans(question.context):
        sentence = question.context[start:end]
        holds = any(start <= place and place + len(words) <= end for place, words in question.answers)
        if holds or not any(words.casefold() in sentence.casefold() for _, words in question.answers):
            yield QuestionPair(question, sentence, holds, jaccard(question.text, sentence))


def _choose(bench: Workbench, by_question: Sequence[Sequence[QuestionPair]]) -> list[QuestionPair]:
    """Choose all positives, and as many negatives by the requested method."""
    positives = [pair for pairs in by_question for pair in pairs if pair.holds]
    negatives = [pair for pairs in by_question for pair in pairs if not pair.holds]
    rng = bench.rng
    match bench["negatives"]:
        case "published":  # drop those with the least overlap until as many are left
            return [*positives, *sorted(negatives, key=lambda pair: -pair.overlap)[: len(positives)]]
        case "best":
            best = [max((pair for pair in pairs if not pair.holds), key=lambda pair: pair.overlap) for pairs in by_question]
            return [*positives, *best]
        case "random":
            return [*positives, *(rng.choice([pair for pair in pairs if not pair.holds]) for pairs in by_question)]
    ours, theirs = ([(pair.overlap, len(pair.sentence)) for pair in side] for side in (positives, negatives))
    matched = match_pairs(ours, theirs, CALIPER, rng)
    return [pair for a, b in matched for pair in (positives[a], negatives[b])]


def _item(pair: QuestionPair, split: str) -> Item:
    fields = {"text": pair.question.text, "pair": pair.sentence, "target": LABELS[not pair.holds]}
    return Item(fields, pair.question.document, pair.question.source, split=split)


QNLI = register(
    Maker(
        "qnli",
        "Does a sentence contain the answer to a question?",
        "questions and answers in SQuAD format (JSON), including dialogues",
        EXAMPLE,
        make_qnli,
        (
            Option(
                "negatives",
                "matched",
                "matched in overlap and length; the best of each question; the published filter, after which overlap is predictive; random",
                ("matched", "best", "published", "random"),
            ),
            Option(
                "split-by",
                "document",
                "unit that stays in one split (as does each question)",
                ("document", "context"),
            ),
            Option("turns", "all", "for dialogues: all questions, or the first only", ("all", "first")),
        ),
        labelling="The sentence that holds the answer that people marked is the one that entails; others of its context do not.",
    )
)
