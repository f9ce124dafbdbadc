"""The two metrics of MuSeRC: F1 over all answers, and exact match per question."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gluepot.metrics import METRICS

f1, exact = METRICS["answer-f1"], METRICS["question-exact-match"]
answers = st.frozensets(st.integers(0, 4))


def test_answer_f1_counts_answers_over_all_questions():
    # Found 3 of 5 right answers, claimed 4: 2·3 / (5+4). The mean over questions would be (0.8 + 0 + 1) / 3.
    gold, predicted = [{0, 1, 2}, {3}, {0}], [{0, 1}, {2}, {0}]
    assert f1(gold, predicted) == pytest.approx(6 / 9)


def test_exact_match_requires_every_answer_of_a_question():
    assert exact([{0, 1}, {1}, {2}], [{0, 1}, {1, 2}, set()]) == pytest.approx(1 / 3)


def test_an_empty_prediction_of_an_empty_set_is_right():
    assert f1([set()], [set()]) == 1.0
    assert exact([set()], [set()]) == 1.0


def test_a_repeated_answer_counts_once():
    assert f1([[0, 1]], [[1, 0, 0]]) == 1.0
    assert exact([[0, 1]], [[1, 0, 0]]) == 1.0


@given(st.lists(st.tuples(answers, answers), min_size=1, max_size=15))
def test_answer_f1_is_scikit_learns_f1_of_the_positive_class(sklearn_metrics, rows):
    gold = [option in g for g, _ in rows for option in range(5)]
    predicted = [option in p for _, p in rows for option in range(5)]
    assume(any(gold) or any(predicted))
    assert f1(*zip(*rows, strict=True)) == pytest.approx(sklearn_metrics.f1_score(gold, predicted, zero_division=0), abs=1e-12)
