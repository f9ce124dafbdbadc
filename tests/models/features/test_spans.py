"""Features of candidate answer spans of a passage."""

import pytest

from gluepot.models.features.spans import LONGEST, WRONG, CandidateSpan, SpanRecipe, around, read_sentences, sort_of_answer, stretches
from gluepot.records import Example

CONTEXT = "Limen koger, siger Ole. Den blev opfundet i 1905."
QUESTION = Example("1", {"context": CONTEXT, "text": "Hvornår blev den opfundet?"}, "1905")


@pytest.fixture
def recipe() -> SpanRecipe:
    found = SpanRecipe()
    found.learn([QUESTION])
    return found


def span(text: str, question: str = "hvornår blev den opfundet ?") -> CandidateSpan:
    """Return the first candidate with this text."""
    return next(
        CandidateSpan(sentence, start, end, question.split(), number)
        for number, sentence in enumerate(read_sentences(CONTEXT))
        for start, end in stretches(sentence)
        if CandidateSpan(sentence, start, end, [], number).text == text
    )


def test_candidates_neither_begin_nor_end_with_punctuation() -> None:
    texts = {item.text for item in SpanRecipe().items(QUESTION)}
    assert {"Limen", "koger, siger", "1905", "Den blev opfundet i 1905"} <= texts
    assert not any(text.startswith(",") or text.endswith((",", ".")) for text in texts)


def test_no_candidate_crosses_a_sentence_or_is_too_long() -> None:
    assert not any("Ole. Den" in item.text for item in SpanRecipe().items(QUESTION))
    long = read_sentences(" ".join(["ord"] * 30))[0]
    assert max(end - start for start, end in stretches(long)) == LONGEST


def test_number_with_inner_punctuation_is_one_token() -> None:
    assert read_sentences("Kl. 12.30 kom 1,5 mio.")[0].tokens == ["Kl", ".", "12.30", "kom", "1,5", "mio", "."]


def test_lessons_include_the_gold_span_and_wrong_ones_from_both_sentences(recipe: SpanRecipe) -> None:
    lessons = recipe.lessons(QUESTION)
    assert [item.text for item, right in lessons if right] == ["1905"]
    assert {item.number for item, right in lessons if not right} == {0, 1}
    assert len(lessons) <= 1 + WRONG


def test_several_gold_answers_are_found_ignoring_case(recipe: SpanRecipe) -> None:
    lessons = recipe.lessons(Example("1", QUESTION.inputs, ("OLE", "i 1905")))
    assert [item.text for item, right in lessons if right] == ["Ole", "i 1905"]


def test_answer_missing_from_the_passage_gives_no_lessons(recipe: SpanRecipe) -> None:
    assert recipe.lessons(Example("1", QUESTION.inputs, "1906")) == []


def test_wrong_spans_are_sampled_deterministically() -> None:
    long = Example("7", {"context": " ".join(f"ord{n}" for n in range(60)), "text": "Hvad?"}, "ord3")
    first, again = (SpanRecipe().lessons(long) for _ in range(2))
    assert len(first) == 1 + WRONG // 2
    assert [item.text for item, _ in first] == [item.text for item, _ in again]


def test_answer_shape_is_combined_with_the_first_words_of_the_question() -> None:
    terms = list(sort_of_answer(span("1905")))
    assert {"hvornår|1", "hvornår|dd", "hvornår blev|dd|dd", "hvornår|~05", "[1905", "]1905"} <= set(terms)


def test_words_around_a_span_and_sentence_ends_are_marked() -> None:
    assert set(around(span("1905"))) == {"<i", ">.", "hvornår<i", "hvornår>.", "i<>."}
    assert "<^" in around(span("Limen"))


def test_numbers_reflect_question_words_near_a_span(recipe: SpanRecipe) -> None:
    near, far = recipe.numbers([span("i 1905"), span("Limen")])[:, 4:]
    assert (near[0], far[0]) == (pytest.approx(3 / 4), 0)
    assert (near[4], far[4]) == (3 / 8, 0)  # of eight words around it
    assert (near[5], far[5]) == (1, 0)  # "opfundet" immediately precedes it
    assert (near[10], far[10]) == (1, 0)  # it has a digit
    assert (near[11], far[11]) == (0, 1)  # it is in the first sentence


def test_numbers_reflect_punctuation_or_sentence_ends_around_a_span(recipe: SpanRecipe) -> None:
    texts = ["Limen koger", "siger Ole", "koger", "Den", "opfundet"]
    ends, begins = recipe.numbers([span(text) for text in texts])[:, 12:14].T
    assert dict(zip(texts, zip(begins, ends, strict=True), strict=True)) == {
        "Limen koger": (1, 1),
        "siger Ole": (1, 1),
        "koger": (0, 1),
        "Den": (1, 0),
        "opfundet": (0, 0),
    }
