"""Problems of a submission: explained in the page's language, with the validator's message quoted verbatim."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation import gettext, override

from gluepot.records import Problem
from gluepot.submissions.codes import CODES

OTHERS = ["sv", "da", "ru", "eu"]


def send(client: Any, folder: Path, language: str) -> str:
    bad = folder / "stance-sv.jsonl"
    bad.write_text('{"id": "nobody", "prediction": "against"}\n')
    with bad.open("rb") as file:
        answer = client.post(f"{language}/submit/pocket", {"files": file, "name": "Ours", "task": "stance-sv"})
    assert answer.status_code == 422
    return str(answer.content.decode())


@pytest.mark.parametrize("language", OTHERS)
def test_problem_is_explained_in_the_page_language_with_the_english_message(
    language: str, member: Callable[..., Any], client_of: Callable[..., Any], tmp_path: Path
) -> None:
    page = send(client_of(member()), tmp_path, f"/{language}")
    with override(language):
        meaning, helps = (gettext(text) for text in CODES["unknown-id"])
    assert f'<b>{meaning}</b> <span lang="en">no item &#x27;nobody&#x27; in this split.</span> <code>unknown-id</code>' in page
    assert helps in page
    assert CODES["unknown-id"].meaning not in page


def test_english_page_shows_the_message_alone(member: Callable[..., Any], client_of: Callable[..., Any], tmp_path: Path) -> None:
    page = send(client_of(member()), tmp_path, "")
    assert "no item &#x27;nobody&#x27; in this split. <code>unknown-id</code>" in page
    assert CODES["unknown-id"].meaning not in page


@pytest.mark.parametrize("language", OTHERS)
def test_every_code_is_explained_in_every_language(language: str) -> None:
    with override(language):
        same = [text for explained in CODES.values() for text in explained if gettext(text) == text]
    assert same == []


def test_unknown_code_shows_its_message_alone() -> None:
    from gluepot.board.submitting.views.problem_table import ProblemRow, by_file

    odd = Problem("odd-colour", "the row is mauve.", hint="Paint it.")
    with override("sv"):
        assert by_file([odd])[0].first == [ProblemRow(odd)]


@pytest.mark.parametrize(
    ("language", "label"), [("en", "Static vectors"), ("sv", "Statiska ordvektorer"), ("eu", "Hitz-bektore estatikoak")]
)
def test_model_families_are_shown_translated_and_stored_in_english(language: str, label: str) -> None:
    from gluepot.board.submitting.publication.forms import FactForm

    with override(language):
        field: Any = FactForm.base_fields["family"]
        shown = {value: str(text) for value, text in field.choices}
    assert list(shown)[1:] == ["Encoder", "Decoder", "Encoder-decoder", "Static vectors", "Classical", "Other"]
    assert shown["Static vectors"] == label
