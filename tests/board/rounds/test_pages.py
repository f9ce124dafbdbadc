"""Raters' pages: every answer form without JavaScript, in five languages, and without links to the board."""

from typing import Any

import pytest
from tests.board.rounds.raters import hidden, opened, visit

THANKS = {"en": "Thank you", "sv": "Tack", "da": "Tak", "ru": "Спасибо", "eu": "Eskerrik asko"}
AGREE = {"en": "I agree, begin", "sv": "Jag samtycker", "da": "Jeg samtykker", "ru": "Согласен, начать", "eu": "Ados nago, hasi"}
FORMS: dict[str, tuple[dict[str, Any], Any]] = {
    "stance-sv": ({"answer": "1"}, str),
    "idioms-da": ({"answer": "1"}, int),
    "word-pairs-eu": ({"answer": "7"}, float),
    "multi-choice-ru": ({"answer": ["0", "1"]}, list),
    "questions-da": ({"answer": "et svar"}, str),
    "summaries-eu": ({"answer": "laburpen\nbat"}, str),
    "cloze-ru": ({"answer": "0"}, str),
    "coreference-eu": ({"answer": "0"}, str),
    "word-sense-sv": ({"answer": "0"}, str),
    "analogy-sv": ({"answer": "ett"}, str),
}


@pytest.mark.parametrize("language", THANKS)
def test_pages_use_the_language_of_the_browser(rounds, language: str) -> None:
    _, _, (token,) = opened(1, items=1, votes=1)
    asked = {"accept-language": f"{language};q=0.9, fr;q=0.1"}
    first = visit(token, **asked)
    page = first.content.decode()
    assert f'<html lang="{language}">' in page
    assert AGREE[language] in page
    assert first["Content-Language"] == language
    visit(token, {"go": "consent"}, **asked)
    item = visit(token, **asked).content.decode()
    assert '<div class="item" lang="sv">' in item
    visit(token, {"item": hidden(item, "item"), "question": "", "answer": "0"}, **asked)
    assert THANKS[language] in visit(token, **asked).content.decode()
    nothing = visit("a" * 32, **asked)
    assert (nothing.status_code, nothing["Content-Language"]) == (404, language)


def test_declared_or_chosen_language_overrides_the_browser(rounds) -> None:
    _, keeper, (token,) = opened(1, language="eu")
    assert visit(token, **{"accept-language": "ru"})["Content-Language"] == "eu"
    assert visit(keeper, path="keeper", **{"accept-language": "ru"})["Content-Language"] == "eu"
    _, _, (free,) = opened(1, seed=1)
    chosen = visit(free, query="?language=da")
    assert (chosen.status_code, chosen["Location"]) == (302, f"/r/{free}")
    assert visit(free, cookie=chosen.cookies.output(header="").strip().partition(";")[0])["Content-Language"] == "da"


@pytest.mark.parametrize("task", FORMS)
def test_every_answer_type_has_a_working_form(rounds, task: str) -> None:
    from gluepot.board.rounds.models import CastVote

    fields, kind = FORMS[task]
    _, _, (token,) = opened(1, f"pocket/{task}", items=1, votes=1)
    visit(token, {"go": "consent"})
    page = visit(token).content.decode()
    assert 'name="answer"' in page
    assert "<details><summary>" not in page.partition('class="item"')[2].partition('class="answers"')[0]
    done = visit(token, {"item": hidden(page, "item"), "question": "", **fields})
    assert done.status_code == 302, done.content.decode()
    assert isinstance(CastVote.objects.get().value, kind)


def test_words_are_marked_and_unmarked_by_buttons_alone(rounds) -> None:
    from gluepot.board.rounds.models import CastVote

    _, _, (token,) = opened(1, "pocket/entities-da", items=1, votes=1)
    visit(token, {"go": "consent"})
    page = visit(token).content.decode()
    kind = hidden(page, "mark")
    fields = {"item": hidden(page, "item"), "question": "", "tags": hidden(page, "tags")}
    marked = visit(token, {**fields, "word": ["0", "1"], "mark": kind}).content.decode()
    assert hidden(marked, "tags").split()[:3] == [f"B-{kind}", f"I-{kind}", "O"]
    plain = visit(token, {**fields, "tags": hidden(marked, "tags"), "unmark": hidden(marked, "unmark")}).content.decode()
    assert set(hidden(plain, "tags").split()) == {"O"}
    visit(token, {**fields, "tags": hidden(marked, "tags"), "go": "save"})
    assert CastVote.objects.get().value[:2] == [f"B-{kind}", f"I-{kind}"]


@pytest.mark.parametrize(
    ("task", "sent", "told"),
    [
        ("word-pairs-eu", "19", "Hori eskalatik kanpo dago. Eman 0 eta 10 arteko zenbaki oso bat."),
        ("questions-da", " ", "Erantzuna hutsik dago."),
        ("stance-sv", "9", "Hori ez da erantzunetako bat."),
    ],
)
def test_invalid_answer_is_reported_in_the_language_of_the_round(rounds, task: str, sent: str, told: str) -> None:
    from gluepot.board.rounds.models import CastVote

    _, _, (token,) = opened(1, f"pocket/{task}", items=1, language="eu")
    visit(token, {"go": "consent"})
    page = visit(token).content.decode()
    refused = visit(token, {"item": hidden(page, "item"), "question": "", "answer": sent}).content.decode()
    assert told in refused
    assert 'role="alert"' in refused
    assert not CastVote.objects.exists()


def test_pages_reveal_neither_board_links_nor_email_addresses(rounds) -> None:
    _, _, (token,) = opened(1)
    for query in ("", "?vote=1", "?feedback=1"):
        page = visit(token, query=query).content.decode()
        assert "/b/" not in page
        assert "@" not in page
        assert "account" not in page
    assert [visit(token, path=path).status_code for path in ("keeper", "api", "b")] == [404] * 3
