"""Pages for submitting: links from every public page, instructions for each suite, and forms."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.board.filling import fill
from tests.board.made import without_board
from tests.board.serving import gluepot

from gluepot import board


def links(answer: Any) -> set[str]:
    return set(re.findall(r'<a [^>]*href="([^"#?]*)', answer.content.decode()))


def test_every_public_page_links_to_submitting_and_to_the_account(open_board: Path, client_of: Callable[..., Any]) -> None:
    fill(1)
    for page in ("/", "/errata", "/nowhere"):
        assert {"/submit", "/account/"} <= links(client_of().get(page)), page
    assert {"/sv/submit", "/sv/account/"} <= links(client_of().get("/sv/errata"))
    texts = {template: template.read_text() for template in (Path(board.__file__).parent / "templates" / "board").glob("*.html")}
    included = {name for text in texts.values() for name in re.findall(r'{% include "board/([^"]+)"', text)}
    for template, text in texts.items():
        part_of_others = template.name == "base.html" or template.name in included
        assert part_of_others or re.match(r'{% extends "board/(base|suite)\.html" %}', text)
        assert template.name == "base.html" or "block person" not in text, template


def test_public_page_does_not_depend_on_the_session(open_board: Path, member: Callable[..., Any], client_of: Callable[..., Any]) -> None:
    fill(2)
    mine, theirs = client_of(member()).get("/"), client_of().get("/")
    assert mine.content == theirs.content
    assert "Cookie" not in mine.headers["Vary"]


def test_suite_with_data_has_a_submit_page(open_board: Path, client_of: Callable[..., Any]) -> None:
    from gluepot.board.importing.storage.entries import stored_version
    from gluepot.tasks.declarations import load_suite

    version = stored_version(load_suite("pocket")).version
    assert "/submit/pocket" in links(client_of().get(f"/b/pocket/{version}/tasks"))
    page = client_of().get("/submit/pocket").content.decode()
    assert re.search(r'<a href="/submit/pocket" aria-current="page">', page)


def test_submit_page_has_commands_and_a_valid_sample(open_board: Path, client_of: Callable[..., Any], tmp_path: Path) -> None:
    client = client_of()
    page = client.get("/submit/pocket").content.decode()
    commands = re.findall(r"^gluepot .*$", "\n".join(re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)), re.MULTILINE)
    assert commands == [
        "gluepot score pocket my-answers",
        "gluepot submit my-answers --suite pocket --name my-model --to http://localhost",
        'gluepot submit "command:python3 model.py" pocket/stance-sv --name my-model --to http://localhost',
    ]
    sample = client.get("/submit/pocket/sample.zip")
    (tmp_path / "my-answers.zip").write_bytes(sample.content)
    words = commands[0].replace("my-answers", "my-answers.zip").split()[1:]
    done = subprocess.run(gluepot(*words), cwd=tmp_path, capture_output=True, text=True, env=without_board())
    assert done.returncode == 0, done.stderr


def test_remaining_slots_are_shown_as_text_and_graphic(
    member: Callable[..., Any], client_of: Callable[..., Any], work: Callable[[], None], sample: Path
) -> None:
    client = client_of(member())
    assert client.get("/submit/pocket").content.decode().count('class="left"') == 10
    with sample.open("rb") as stream:
        client.post("/submit/pocket", {"name": "first", "files": stream})
    work()
    page = client.get("/submit/pocket").content.decode()
    assert "<b>9 of 10 left</b>" in page
    assert (page.count('class="left"'), page.count('class="used"')) == (9, 1)


@pytest.mark.parametrize("language", ["", "/sv", "/da", "/ru", "/eu"])
def test_submit_pages_use_the_language_of_their_address(client_of: Callable[..., Any], language: str) -> None:
    page = client_of().get(f"{language}/submit/pocket").content.decode()
    assert ("What a file looks like" in page) == (language == "")
    assert ("for each item" in page) == (language == "")  # the summary of the format, from a plug-in


def test_exported_copy_has_no_links_to_accounts() -> None:
    from selectolax.lexbor import LexborHTMLParser

    from gluepot.board.export.rewriting import remove_private_links

    page = LexborHTMLParser('<nav class="account"><a href="/account/">A</a></nav><a href="/sv/submit/x">S</a><a href="/b/x/1">B</a>')
    remove_private_links(page)
    assert [node.attributes["href"] for node in page.css("a")] == ["/b/x/1"]
    assert not page.css("nav")


def test_second_factor_qr_code_is_an_inline_svg(member: Callable[..., Any], open_board: Path) -> None:
    from django.test import Client

    member()
    client = Client(HTTP_HOST="localhost")
    client.post("/account/login/", {"login": "ann@example.org", "password": "correct horse battery"})
    client.post("/account/reauthenticate/", {"password": "correct horse battery"})
    page = client.get("/account/2fa/totp/activate/").content.decode()
    assert re.search(r'<div class="qr" role="img" aria-label="[^"]+"><svg viewBox="[\d ]+"[^>]*><path d="M', page)
    assert "data:image" not in page


def test_honeypot_field_is_hidden(open_board: Path, client_of: Callable[..., Any]) -> None:
    css = (Path(board.__file__).parent / "static/board/submitting.css").read_text()
    page = client_of().get("/account/signup/").content.decode()
    assert re.search(r'<input[^>]* name="homepage"[^>]* aria-hidden="true"', page)
    assert " style=" not in page
    assert "[name=homepage]" in css


def test_account_form_errors_are_below_their_field(open_board: Path, client_of: Callable[..., Any]) -> None:
    page = client_of().post("/account/signup/", {"email": "ann@example.org", "password1": "12345", "password2": "12345"}).content.decode()
    assert re.search(r'name="password1".*<ul class="errorlist" id="id_password1_error"><li>This password is too short', page, re.DOTALL)


@pytest.mark.parametrize(
    ("form", "page"),
    [
        ("/submit/pocket/program", "/submit/pocket"),
        ("/da/submit/pocket/program", "/da/submit/pocket"),
        ("/account/keys", "/account/"),
        ("/account/teams/7/members/3/remove", "/account/teams/7"),
    ],
)
def test_form_address_redirects_to_its_page(member: Callable[..., Any], client_of: Callable[..., Any], form: str, page: str) -> None:
    answer = client_of(member()).get(form)
    assert (answer.status_code, answer.headers["Location"]) == (302, page)


def test_suite_with_its_own_format_also_describes_the_sample_format() -> None:
    from gluepot.board.submitting.views.submit_page import SubmitPage
    from gluepot.tasks.declarations import load_suite

    assert "`<task>.jsonl`" in SubmitPage(load_suite("basqueglue"), "").common_form
    assert SubmitPage(load_suite("pocket"), "").common_form == ""
