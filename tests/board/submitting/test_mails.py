"""Links in account emails point to the board, regardless of the request's headers."""

import re
from collections.abc import Callable
from typing import Any

import pytest

ADDRESS = re.compile(r"https?://[^\s/]+")


def asked_reset(host: str, **more: Any) -> set[str]:
    """Return the addresses in the password-reset email requested at a host."""
    from django.core import mail
    from django.test import Client

    mail.outbox.clear()
    Client(HTTP_HOST=host).post("/account/password/reset/", {"email": "ann@example.org"}, **more)
    (letter,) = mail.outbox
    text = f"{letter.subject}\n{letter.body}"
    assert "9999" not in text
    return set(ADDRESS.findall(text))


@pytest.mark.parametrize("host", ["localhost:9999", "127.0.0.1:9999", "[::1]:9999"])
def test_password_reset_link_ignores_the_port_of_the_host_header(host: str, member: Callable[..., Any]) -> None:
    member()
    name = host.rpartition(":")[0]
    assert asked_reset(host, SERVER_PORT="8765") == {f"http://{name}:8765"}


def test_account_emails_use_the_configured_site_address(member: Callable[..., Any], settings_with: Callable[..., Any]) -> None:
    member()
    with settings_with(SITE_ADDRESS="http://board.example.org", ALLOWED_HOSTS=["board.example.org", "localhost"]):
        assert asked_reset("localhost:9999", HTTP_X_FORWARDED_HOST="evil.example:9999") == {"http://board.example.org"}


def test_account_emails_name_the_board(member: Callable[..., Any]) -> None:
    from django.core import mail
    from django.test import Client

    member()
    Client(HTTP_HOST="localhost").post("/account/password/reset/", {"email": "ann@example.org"})
    assert mail.outbox[-1].body.startswith("Hello from gluepot!")


def test_email_verification_and_login_preserve_the_language(open_board: Any) -> None:
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
