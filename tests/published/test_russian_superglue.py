"""TF-IDF baseline of Russian SuperGLUE, on a few examples per task."""

from typing import Any

import pytest

from gluepot.models import CannotSolve
from gluepot.models.baselines.tfidf import TfidfModel
from gluepot.published.russian_superglue.baseline import RussianBaseline, joined
from gluepot.records import Example, Prediction, Task
from gluepot.tasks.declarations import load_suite

SUITE = load_suite("russian-superglue")
TERRA, PARUS, MUSERC, RUCOS = (SUITE.tasks[name] for name in ("TERRa", "PARus", "MuSeRC", "RuCoS"))


def examples(*rows: tuple[dict[str, Any], Any]) -> list[Example]:
    return [Example(str(number), inputs, target) for number, (inputs, target) in enumerate(rows)]


def answer(task: Task, train: list[Example], *asked: dict[str, Any]) -> list[Prediction]:
    baseline = RussianBaseline(seed=0)
    baseline.fit(task, train, [])
    return baseline.predict(task, [Example(f"q{number}", inputs) for number, inputs in enumerate(asked)])


ENTAILED = {"text": "клей кипит", "pair": "клей горячий"}
NOT_ENTAILED = {"text": "окно закрыто", "pair": "дверь открыта"}


def test_fields_are_joined_in_the_publishers_order() -> None:
    choice = Example("1", {"text": " Клей остыл. ", "context": "cause", "options": ["Ночь", "День"]})
    assert joined(PARUS, choice) == "Клей остыл. Что было ПРИЧИНОЙ этого? Ночь День"
    assert joined(TERRA, Example("1", ENTAILED)) == "клей кипит клей горячий"


def test_the_passage_of_a_yes_no_question_is_ignored() -> None:
    assert joined(SUITE.tasks["DaNetQA"], Example("1", {"text": "Горяч ли клей?", "pair": "Клей кипит."})) == "Горяч ли клей?"


def test_a_label_is_learned_with_probabilities_in_the_tasks_order() -> None:
    train = examples(*[(ENTAILED, "entailment"), (NOT_ENTAILED, "not_entailment")] * 5)
    first, second = answer(TERRA, train, ENTAILED, NOT_ENTAILED)
    assert (first.output, second.output) == ("entailment", "not_entailment")
    assert first.scores is not None
    assert TERRA.labels[first.scores.index(max(first.scores))] == "entailment"
    assert sum(first.scores) == pytest.approx(1)


def test_a_single_training_label_is_always_predicted() -> None:
    found = answer(TERRA, examples((ENTAILED, "entailment"), (NOT_ENTAILED, "entailment")), NOT_ENTAILED)
    assert found[0].output == "entailment"
    assert sorted(found[0].scores or []) == [0, 1]


def test_a_choice_is_answered_with_a_number() -> None:
    rows = [
        {"text": "клей остыл", "context": "cause", "options": ["ночь", "день"]},
        {"text": "окно", "context": "effect", "options": ["а", "бб"]},
    ]
    first, second = answer(PARUS, examples(*[(rows[0], 1), (rows[1], 0)] * 5), *rows)
    assert (first.output, second.output) == (1, 0)


def test_the_two_options_nearest_to_the_passage_are_selected() -> None:
    inputs = {"context": "клей кипит в горшке на огне", "text": "что кипит", "options": ["окно", "клей", "дверь", "горшке на огне"]}
    assert answer(MUSERC, examples((inputs, frozenset({1}))), inputs)[0].output == [1, 3]


def test_the_entity_that_makes_the_query_most_similar_to_the_passage_is_chosen() -> None:
    inputs = {"context": "Анна варит клей. Анна дома. Пётр ушёл.", "text": "@placeholder варит", "options": ["Пётр", "Анна"]}
    assert answer(RUCOS, examples((inputs, ("Анна",))), inputs)[0].output == "Анна"


def test_without_training_data_the_reason_names_the_task() -> None:
    with pytest.raises(CannotSolve, match="russian-superglue/TERRa has no training data"):
        RussianBaseline(0).fit(TERRA, examples((ENTAILED, None)), [])


@pytest.mark.parametrize(("model", "suite", "own"), [("tfidf-logistic", SUITE, True), ("tfidf-svm", SUITE, False)])
def test_only_tfidf_logistic_follows_the_suites_baseline(model: str, suite: Any, own: bool) -> None:
    tfidf = TfidfModel(model, "", 0)
    tfidf.fit(suite.tasks["TERRa"], examples(*[(ENTAILED, "entailment"), (NOT_ENTAILED, "not_entailment")] * 3), [])
    assert isinstance(tfidf.solver, RussianBaseline) is own
