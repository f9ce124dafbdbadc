"""Lead baseline: as many first sentences as training summaries are long."""

import pytest

from gluepot.answers.text import LONGEST_TEXT
from gluepot.models import CannotSolve
from gluepot.models.baselines.lead import MOST, UNTAUGHT, LeadBaseline, best_count, lead
from gluepot.records import Example
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")
SUMMARIES = POCKET.tasks["summaries-eu"]
TEXT = "Bat bi hiru. Lau bost sei. Zazpi zortzi bederatzi. Hamar hamaika hamabi. Azkena da hau."


def summary(train: list[Example]) -> str:
    model = LeadBaseline("lead", "", 0)
    model.fit(SUMMARIES, train, [])
    return str(model.predict(SUMMARIES, [Example("1", {"text": TEXT})])[0].output)


def test_without_training_data_three_sentences_are_taken() -> None:
    assert summary([]).count(".") == UNTAUGHT == 3


def test_training_summaries_determine_the_number_of_sentences() -> None:
    assert summary([Example("1", {"text": TEXT}, "hiru hitz daude")]) == "Bat bi hiru."
    assert summary([Example("1", {"text": TEXT}, "bat bi hiru lau bost sei")]) == "Bat bi hiru. Lau bost sei."


def test_first_of_several_gold_summaries_is_used() -> None:
    assert summary([Example("1", {"text": TEXT}, ("hiru hitz daude", TEXT))]) == "Bat bi hiru."


def test_number_of_sentences_fits_the_mean_length_up_to_a_maximum() -> None:
    assert best_count([TEXT, TEXT], ["a b c", "a b c d e f g h i"]) == 2
    assert best_count(["Bat bi. " * 30], ["hitz " * 100]) == MOST


def test_summary_is_truncated_to_the_maximum_answer_length() -> None:
    assert len(lead("a" * (LONGEST_TEXT + 1), 1)) == LONGEST_TEXT


def test_a_text_without_sentences_has_an_empty_summary() -> None:
    assert lead(" \n", 3) == ""


def test_other_task_kinds_are_refused() -> None:
    with pytest.raises(CannotSolve, match="pocket/stance-sv is a task of the kind classification"):
        LeadBaseline("lead", "", 0).fit(POCKET.tasks["stance-sv"], [], [])
