"""Words, sentences and their terms."""

from gluepot.models.features.terms import STEM, beginnings, endings, runs, sentences, stems, words


def test_words_are_lower_cased_and_punctuation_is_separate() -> None:
    assert words("Ez, EZ-ez…\nÖl!") == ["ez", ",", "ez", "-", "ez", "…", "öl", "!"]
    assert words("  ") == []


def test_repeated_word_is_the_same_object() -> None:
    first, second = words("Limgryta limgryta")
    assert first is second


def test_single_word_has_no_bigram() -> None:
    assert list(runs(["lim"])) == ["lim"]
    assert list(runs([])) == []


def test_beginnings_have_at_most_six_letters_and_short_words_stay_whole() -> None:
    assert list(beginnings(["abcdefgh"])) == ["abc", "abcd", "abcde", "abcdef"]
    assert list(beginnings(["abc", "ab", "."])) == ["abc", "ab", "."]


def test_inflected_forms_share_a_stem() -> None:
    assert set(stems(["katter", "katterna", "kattens"])) == {"katte"}
    assert list(map(len, stems(["katterna", "en"]))) == [STEM, 2]


def test_endings_are_shorter_than_the_word() -> None:
    assert endings("en") == ["~n"]
    assert endings("n") == []
    assert endings("") == []


def test_sentence_ends_at_punctuation_a_closing_quote_or_a_line_break() -> None:
    assert sentences('Han sa "Nej." Hon gick!\nRubrik\nSlut') == ['Han sa "Nej."', "Hon gick!", "Rubrik", "Slut"]


def test_abbreviation_does_not_end_a_sentence() -> None:
    assert sentences("Det tar ca. tio minuter. Klart.") == ["Det tar ca. tio minuter.", "Klart."]


def test_a_text_without_words_has_no_sentence() -> None:
    assert sentences(" \n ") == []
