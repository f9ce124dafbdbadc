"""ROUGE: tokenization of any script, defect D3, and equality with rouge-score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluepot.metrics import METRICS
from gluepot.metrics.rouge import ascii_words, words

rouge_1, rouge_l = METRICS["rouge-1"], METRICS["rouge-l"]
texts = st.lists(st.sampled_from(["the", "cat", "Sat", "on", "mat.", "rødgrød", "42", "—", "x-ray"]), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Rødgrød med fløde!", ["rødgrød", "med", "fløde"]),
        ("Åsa's kött_bullar", ["åsa", "s", "kött", "bullar"]),
        ("мы́ло — 2 шт.", ["мы́ло", "2", "шт"]),
        ("...", []),
    ],
)
def test_words_of_every_script_stay_whole(text, cut):
    assert words(text) == cut


def test_the_published_splitting_cuts_at_danish_letters():
    assert ascii_words("Rødgrød") == ["r", "dgr", "d"]
    for overlap in ("1", "l"):
        assert METRICS[f"rouge-{overlap}-ascii"](["bøger"], ["båger"]) == 1.0
        assert METRICS[f"rouge-{overlap}"](["bøger"], ["båger"]) == 0.0


def test_rouge_by_hand():
    # Shared: katten, sover, på (3 of 4 and 5); in one order: katten, sover.
    gold, predicted = ["katten sover på mattan"], ["på natten katten tyst sover"]
    assert rouge_1(gold, predicted) == pytest.approx(2 * 3 / 9)
    assert rouge_l(gold, predicted) == pytest.approx(2 * 2 / 9)


def test_rouge_is_the_mean_over_summaries():
    assert rouge_1(["a b", "c"], ["a", "d"]) == pytest.approx((2 / 3 + 0) / 2)


def test_the_best_reference_counts():
    assert rouge_l([["helt andet", "det er godt"]], ["det er"]) == pytest.approx(4 / 5)


@pytest.mark.parametrize("metric", [rouge_1, rouge_l])
@pytest.mark.parametrize(("gold", "predicted"), [("", ""), ("ord", ""), ("", "ord"), ("...", "...")])
def test_texts_without_words_score_zero(metric, gold, predicted):
    assert metric([gold], [predicted]) == 0.0


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6))
def test_the_published_splitting_equals_rouge_score(rouge_scorer, rows):
    theirs = [rouge_scorer.score(g, p) for g, p in rows]
    gold, predicted = zip(*rows, strict=True)
    for name, key in (("rouge-1-ascii", "rouge1"), ("rouge-l-ascii", "rougeL")):
        expected = sum(score[key].fmeasure for score in theirs) / len(rows)
        assert METRICS[name](gold, predicted) == pytest.approx(expected, abs=1e-12)
