"""Attacks without a model: valid answers that ignore the item, or only copy from it, do not beat a baseline on any task."""

from collections.abc import Iterator
from functools import cache
from math import isnan
from typing import Any

import pytest

from gluepot.data.examples import load_examples
from gluepot.errors import InvalidOutput
from gluepot.metrics import INVALID
from gluepot.models import CannotSolve, make_adapter, parse_model
from gluepot.records import Example, Prediction, Task
from gluepot.runs.scores.coverage import ranking_value
from gluepot.runs.scores.scoring import ScoredAnswers, score_task
from gluepot.submissions.problems import Problems
from gluepot.submissions.run_predictions import pair_predictions
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket").tasks
HONEST = ("majority", "random", "random-weighted", "lead", "tfidf-logistic", "tfidf-svm", "crf")
NUMBERS = [0, -0.0, 1, 2.5, 5, 10, 5e-324, 1e154, -1e154, 1e155, 1e308, -1e308, 1.7976931348623157e308]
NUMBERS += [2**53 + 1, 10**300, 10**400, 2**1024]
TEXTS = ["", " ", "\0", "\ud800", "!", "–", INVALID, "the", "x " * 9_999, "\u0301", "null"]


def number_tricks(task: Task, items: list[Example]) -> Iterator[list[Any]]:
    yield from ([number] * len(items) for number in NUMBERS)
    for large in (1e154, 1e308):
        yield [large if place % 2 else -large for place in range(len(items))]
        yield [large * (1 - place * 2.0**-52) for place in range(len(items))]
        yield [large, *[2.5] * (len(items) - 1)]
    yield [2**53 + place for place in range(len(items))]
    yield [place * 5e-324 for place in range(len(items))]
    yield [2.5 + place * 2.0**-51 for place in range(len(items))]


def text_tricks(task: Task, items: list[Example]) -> Iterator[list[Any]]:
    yield from ([text] * len(items) for text in TEXTS)
    names = dict.fromkeys(name for item in items for name in item.inputs if name != "options")
    for name in names:
        yield [str(item.inputs.get(name, ""))[:20_000] for item in items]
    yield [" ".join(str(item.inputs.get(name, "")) for name in names)[:20_000] for item in items]


def tricks(task: Task, items: list[Example]) -> Iterator[list[Any]]:
    """Yield the answers of one submission at a time; many of them are rejected, and should be."""
    form, most = KINDS[task.kind].answer.form, max((len(item.inputs.get("options", ())) for item in items), default=0)
    if form == "number":
        yield from number_tricks(task, items)
    if form == "text":
        yield from text_tricks(task, items)
    if form == "label":
        yield from ([label] * len(items) for label in (*task.labels, *map(str.upper, task.labels), INVALID, "", "\0"))
        yield [task.labels[place % len(task.labels)] for place in range(len(items))]
    if form == "index":
        yield from ([number] * len(items) for number in range(-1, most + 1))
        yield [place % 2 for place in range(len(items))]
    if form == "index-set":
        yield from ([chosen] * len(items) for chosen in ([], [0], [0, 0, 0], [0, 1], [1, 0], [-1]))
        yield [list(range(len(item.inputs["options"]))) for item in items]
    if form == "tags":
        yield from ([[tag] * len(item.inputs["tokens"]) for item in items] for tag in (*task.labels, INVALID, "", "o"))
        yield [["B-PER", *["I-PER"] * (len(item.inputs["tokens"]) - 1)] for item in items]


def ranked(task: Task, items: list[Example], outputs: list[Any], metric: int = 0) -> tuple[float, float] | None:
    """Return the ranking value and the lower end of its interval, or None if the answers are rejected or their score is undefined."""
    predictions = [Prediction(item.id, output) for item, output in zip(items, outputs, strict=True)]
    paired = pair_predictions(task, "test", items, predictions, Problems())
    if not paired.sound:
        return None
    scored = ScoredAnswers()
    score_task(paired, scored, resamples=200)
    score = scored.scores[metric]
    assert score.value is not None or score.reason
    value = ranking_value(score)
    if value is None:
        return None
    low = (score.all_items or score).low
    assert not isnan(value)
    return value, value if low is None else low


@cache
def best_honest(name: str) -> float:
    """Return the highest ranking value of the baselines on the same items."""
    task = POCKET[name]
    items, found = load_examples(task, "test"), []
    for model in HONEST:
        adapter = make_adapter(parse_model(model), 0)
        try:
            adapter.fit(task, load_examples(task, "train"), load_examples(task, "dev"))
            outputs = [prediction.output for prediction in adapter.predict(task, items)]
        except CannotSolve:
            continue
        found.append(ranked(task, items, outputs))
    return max(value for value, _ in filter(None, found))


@pytest.mark.parametrize("name", list(POCKET))
def test_answers_without_a_model_do_not_beat_the_best_baseline(name: str) -> None:
    """The lower end of the interval is compared with the best baseline, because some pattern always fits forty items by chance."""
    task = POCKET[name]
    items = load_examples(task, "test")
    tried = [ranked(task, items, outputs) for outputs in tricks(task, items)]
    assert len(tried) >= 6
    assert max((low for _, low in filter(None, tried)), default=-1.0) <= max(best_honest(name), 0.0)


def hedges(item: Example) -> Iterator[str]:
    """Yield answers with several entities: all, two, the last word of each, and a span of the passage that contains two of them."""
    options = sorted(set(item.inputs["options"]))
    yield " ".join(options)
    yield ", ".join(options[:2])
    yield " ".join(option.split()[-1] for option in options)
    passage = item.inputs["context"]
    places = sorted((passage.find(option), option) for option in options if option in passage)
    if len(places) > 1:
        (start, _), (last, option) = places[:2]
        yield passage[start : last + len(option)]


def have_no_word_in_common(options: list[str]) -> bool:
    words = [word for option in set(options) for word in option.split()]
    return len(words) == len(set(words))


def test_rejects_cloze_answers_that_name_several_entities() -> None:
    """The published cloze metric is a word overlap, which rewards hedging; its exact match does not."""
    task = POCKET["cloze-ru"]
    items = load_examples(task, "test")
    apart = [item for item in items if have_no_word_in_common(item.inputs["options"])]
    assert len(apart) > 20
    for item in apart:
        for text in hedges(item):
            with pytest.raises(InvalidOutput, match="several of the options"):
                KINDS[task.kind].answer.read(task, item, text)


@pytest.mark.parametrize(
    "text", ["Банк России", "банк россии.", "России", "Центральный банк России", "Банка", "ни один", "", "Глава Банка России"]
)
def test_accepts_a_cloze_answer_in_any_form(text: str) -> None:
    inputs = {"context": "Глава Банка России выступил в Москве.", "text": "@placeholder", "options": ["Банк России", "России", "Москве"]}
    assert KINDS["cloze"].answer.read(POCKET["cloze-ru"], Example("1", inputs), text) == text
