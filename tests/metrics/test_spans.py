"""Span F1: conlleval's rules, MISC, ScandEval 14's defect D1, and equality with seqeval."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gluepot.metrics import METRICS

span_f1, no_misc = METRICS["span-f1"], METRICS["span-f1-no-misc"]
published, published_no_misc = METRICS["span-f1-scandeval14"], METRICS["span-f1-no-misc-scandeval14"]

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-MISC", "I-MISC"]
tag = st.sampled_from(["O", "O", "O", *TAGS])
sentence = st.lists(st.tuples(tag, tag), min_size=1, max_size=8)
documents = st.lists(sentence, min_size=1, max_size=6)


def columns(document):
    return [[g for g, _ in s] for s in document], [[p for _, p in s] for s in document]


@pytest.fixture(scope="session")
def seqeval_f1(seqeval_metrics):
    def f1(gold, predicted):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # seqeval warns about lower-case tags
            return seqeval_metrics.f1_score(gold, predicted)

    return f1


def lowered(sentences):
    return [[t.lower() for t in tags] for tags in sentences]


def test_a_span_counts_only_with_its_bounds_and_its_type():
    gold = [["B-PER", "I-PER", "O", "B-LOC", "O", "B-ORG"]]
    # Right; too short; of another type. Three gold, three predicted.
    assert span_f1(gold, [["B-PER", "O", "O", "B-LOC", "O", "B-PER"]]) == pytest.approx(1 / 3)


def test_counts_are_summed_over_sentences():
    gold = [["B-PER"], ["B-PER", "B-LOC", "B-LOC"]]
    assert span_f1(gold, [["B-PER"], ["O", "O", "O"]]) == pytest.approx(2 / 5)


@pytest.mark.parametrize(
    ("orphan", "proper"),
    [
        (["O", "I-PER", "I-PER"], ["O", "B-PER", "I-PER"]),
        (["B-LOC", "I-PER"], ["B-LOC", "B-PER"]),
        (["I-LOC"], ["B-LOC"]),
    ],
)
def test_an_inside_tag_without_a_begin_tag_opens_a_span(orphan, proper):
    assert span_f1([proper], [orphan]) == 1.0


def test_a_begin_tag_ends_the_span_before_it():
    assert span_f1([["B-PER", "B-PER"]], [["B-PER", "I-PER"]]) == 0.0


def test_a_span_ends_with_its_sentence():
    assert span_f1([["B-PER"], ["I-PER"]], [["B-PER"], ["B-PER"]]) == 1.0


def test_no_spans_and_none_predicted_is_right():
    assert span_f1([["O", "O"], []], [["O", "O"], []]) == 1.0
    assert span_f1([[]], [[]]) == 1.0


def test_sentences_of_different_length_are_refused():
    with pytest.raises(ValueError, match="sentence 1 has 2 gold tags and 1 predicted"):
        span_f1([["O"], ["O", "O"]], [["O"], ["O"]])


def test_misc_is_left_out_by_name():
    gold, predicted = [["B-PER", "O", "B-MISC", "I-MISC"]], [["B-PER", "B-MISC", "O", "O"]]
    assert span_f1(gold, predicted) == 0.5
    assert no_misc(gold, predicted) == 1.0


# Four entities, one predicted a token too wide on either side, which also spoils the two adjacent runs of "o".
GOLD = [["B-PER", "O", "B-LOC", "O", "O", "B-ORG", "O", "O", "B-PER"]]
WIDE = [["B-PER", "O", "B-LOC", "O", "B-ORG", "I-ORG", "I-ORG", "O", "B-PER"]]


def test_lower_cased_tags_turn_three_quarters_into_four_sevenths():
    assert span_f1(GOLD, WIDE) == 0.75
    assert published(GOLD, WIDE) == pytest.approx(0.5714, abs=5e-5)


def test_the_published_figure_is_the_same_for_either_case():
    assert published(lowered(GOLD), lowered(WIDE)) == published(GOLD, WIDE)
    assert published(lowered(GOLD), WIDE) == published(GOLD, WIDE)


def test_the_published_figure_extends_o_across_sentence_ends():
    # Gold and predicted agree in the second sentence, but its "o" began at different places in the first.
    gold, predicted = [["B-PER", "O"], ["O", "B-LOC"]], [["O", "O"], ["O", "B-LOC"]]
    assert published(gold, predicted) == pytest.approx(2 * 1 / (3 + 2))


@given(documents)
def test_span_f1_equals_seqeval(seqeval_f1, document):
    gold, predicted = columns(document)
    assume(any(t != "O" for tags in gold + predicted for t in tags))
    assert span_f1(gold, predicted) == pytest.approx(seqeval_f1(gold, predicted), abs=1e-12)


@given(documents)
def test_the_published_figure_equals_seqeval_on_lower_cased_tags(seqeval_f1, document):
    gold, predicted = columns(document)
    assume(any(t != "O" for tags in gold + predicted for t in tags))
    assert published(gold, predicted) == pytest.approx(seqeval_f1(lowered(gold), lowered(predicted)), abs=1e-12)


@given(documents)
def test_leaving_misc_out_equals_replacing_its_tags_by_o(document):
    gold, predicted = columns(document)
    bare = [[["O" if t.endswith("MISC") else t for t in tags] for tags in side] for side in (gold, predicted)]
    assert no_misc(gold, predicted) == span_f1(*bare)
    assert published_no_misc(gold, predicted) == published(*bare)


def test_a_large_document_equals_seqeval(seqeval_f1):
    rng = np.random.default_rng(7)
    gold = [rng.choice(TAGS, size=size).tolist() for size in rng.integers(1, 30, size=500)]
    predicted = [[t if rng.random() < 0.8 else str(rng.choice(TAGS)) for t in tags] for tags in gold]
    assert span_f1(gold, predicted) == pytest.approx(seqeval_f1(gold, predicted), abs=1e-12)
    assert published(gold, predicted) == pytest.approx(seqeval_f1(lowered(gold), lowered(predicted)), abs=1e-12)
