"""Exact match and token F1: normalisation, several gold answers, empty answers."""

import pytest

from gluepot.metrics import INVALID, METRICS
from gluepot.metrics.answers import normalise

exact, overlap = METRICS["exact-match"], METRICS["token-f1"]


@pytest.mark.parametrize(
    ("answer", "normal"),
    [
        ("  Косово.  ", "косово"),
        ("«Единая Россия»", "«единая россия»"),  # guillemets are not ASCII and are not removed
        ('"Зенит-2"', "зенит2"),
        ("a\tb\n c", "a b c"),
        ("the cat", "the cat"),
        ("...", ""),
    ],
)
def test_normalisation_lowercases_drops_ascii_punctuation_and_collapses_spaces(answer, normal):
    assert normalise(answer) == normal


def test_guillemets_prevent_a_match():
    assert exact(["Зенит"], ["«Зенит»"]) == 0.0
    assert exact(["Зенит"], ['"Зенит"']) == 1.0


def test_english_articles_are_removed_only_on_request():
    assert normalise("The cat and an owl, a theme", articles=True) == "cat and owl theme"
    assert exact(["cat"], ["the cat"]) == 0.0
    assert exact(["cat"], ["the cat"], articles=True) == 1.0


def test_the_best_gold_answer_counts():
    gold = [["Косово", "в Косово"], ["ООН", "Организация Объединенных Наций"]]
    assert exact(gold, ["в косово", "ЕС"]) == 0.5
    assert overlap(gold, ["Косово", "Организация Наций"]) == pytest.approx((1 + 4 / 5) / 2)


def test_token_f1_is_a_mean_over_questions():
    # 2·2/(3+2) and 0, not 4/7 over all tokens.
    assert overlap(["26 marts 2015", "i går"], ["marts 2015", "nu nu"]) == pytest.approx(0.4)


def test_a_repeated_token_counts_as_often_as_gold_has_it():
    assert overlap(["ja"], ["ja ja ja"]) == pytest.approx(2 / 4)


@pytest.mark.parametrize("metric", [exact, overlap])
@pytest.mark.parametrize(("gold", "answer", "value"), [([], "", 1.0), ([], "x", 0.0), ("", "!", 1.0), ("x", "", 0.0), ("x", INVALID, 0.0)])
def test_an_empty_answer_matches_only_an_empty_answer(metric, gold, answer, value):
    assert metric([gold], [answer]) == value


@pytest.mark.parametrize("metric", [exact, overlap])
def test_identical_items_are_counted_separately(metric):
    assert metric(["x", "x", "x", "y"], ["x", "x", "x", "z"]) == 0.75  # 0.5 with defect D2
