"""Letters of accounts lead to the board, whatever the request that asked for them says."""

import re
from collections.abc import Callable
from typing import Any

import pytest

ADDRESS = re.compile(r"https?://[^\s/]+")


def asked_reset(host: str, **more: Any) -> set[str]:
    """The hosts in the letter that resets a password, asked for at a host."""
    from django.core import mail
    from django.test import Client

    mail.outbox.clear()
    Client(HTTP_HOST=host).post("/account/password/reset/", {"email": "ann@example.org"}, **more)
    (letter,) = mail.outbox
    text = f"{letter.subject}\n{letter.body}"
    assert "9999" not in text
    return set(ADDRESS.findall(text))


@pytest.mark.parametrize("host", ["localhost:9999", "127.0.0.1:9999", "[::1]:9999"])
def test_no_port_that_a_visitor_writes_gets_the_key_that_resets_a_password(host: str, member: Callable[..., Any]) -> None:
    member()
    name = host.rpartition(":")[0]
    assert asked_reset(host, SERVER_PORT="8765") == {f"http://{name}:8765"}


def test_letters_of_accounts_name_the_address_that_the_keeper_gave(member: Callable[..., Any], settings_with: Callable[..., Any]) -> None:
    member()
    with settings_with(SITE_ADDRESS="http://board.example.org", ALLOWED_HOSTS=["board.example.org", "localhost"]):
        assert asked_reset("localhost:9999", HTTP_X_FORWARDED_HOST="evil.example:9999") == {"http://board.example.org"}


def test_letters_of_accounts_speak_of_the_board_by_its_name(member: Callable[..., Any]) -> None:
    from django.core import mail
    from django.test import Client

    member()
    Client(HTTP_HOST="localhost").post("/account/password/reset/", {"email": "ann@example.org"})
    assert mail.outbox[-1].body.startswith("Hello from gluepot!")


def test_whoever_verifies_an_address_or_has_to_sign_in_stays_in_their_language(open_board: Any) -> None:
    from django.core import mail
    from django.test import Client

    client, password = Client(HTTP_HOST="localhost"), "correct horse battery"
    client.post("/da/account/signup/", {"email": "ane@example.org", "password1": password, "password2": password})
    found = re.search(r"http://[^/]+(/da/account/confirm-email/\S+)", mail.outbox[-1].body)
    assert found
    answer = client.post(found[1], follow=True)
    assert [address for address, _ in answer.redirect_chain][-1].startswith("/da/")
    assert Client(HTTP_HOST="localhost").get("/da/submissions").headers["Location"] == "/da/account/login/?next=/da/submissions"


@pytest.fixture
def settings_with() -> Callable[..., Any]:
    from django.test.utils import override_settings

    return override_settings
