"""Web security of accounts: cookies, CSRF, session fixation, passwords, rate limits, hosts, redirects and email headers."""

import os
import re
import subprocess
import sys
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from tests.board.made import without_board
from tests.board.submitting.people import PASSWORD, Visitor, make_member

LOGIN = {"login": "ann@example.org", "password": PASSWORD}


@pytest.fixture
def ann(open_board: Path) -> Any:
    made = make_member("ann@example.org")
    made.set_password(PASSWORD)
    made.save()
    return made


def browser(**more: Any) -> Client:
    return Client(HTTP_HOST="localhost", raise_request_exception=False, **more)


def test_django_deployment_check_passes(open_board: Path) -> None:
    environment = without_board() | {
        "GLUEPOT_BOARD": str(open_board),
        "GLUEPOT_HOSTS": "board.example.org",
        "GLUEPOT_SECRET_KEY": token_urlsafe(50),
    }
    environment |= {"DJANGO_SETTINGS_MODULE": "gluepot.board.server.settings", "GLUEPOT_DATABASE_URL": "postgresql:///nowhere"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    words = [sys.executable, "-m", "django", "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


@pytest.mark.parametrize("host", ["", "board.example.org"])
def test_session_cookie_is_httponly_samesite_and_secure(ann: Any, host: str, settings_of: Any) -> None:
    with settings_of(host):
        client = browser()
        client.post("/account/login/", LOGIN, secure=bool(host), headers={"host": host or "localhost"})
        cookie = client.cookies["sessionid"]
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"
        assert bool(cookie["secure"]) == bool(host)
        if host:
            plain = client.get("/account/", headers={"host": host})
            assert (plain.status_code, plain.headers["Location"]) == (301, f"https://{host}/account/")
            assert (
                "max-age=31536000"
                in client.get("/account/login/", secure=True, headers={"host": host}).headers["Strict-Transport-Security"]
            )


@pytest.fixture
def settings_of() -> Any:
    """Return a function that overrides the settings as for a public host."""
    from django.test.utils import override_settings

    def make(host: str) -> Any:
        names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "SECURE_HSTS_INCLUDE_SUBDOMAINS")
        found: dict[str, Any] = dict.fromkeys(names, bool(host))
        return override_settings(ALLOWED_HOSTS=[host or "localhost"], SECURE_HSTS_SECONDS=31536000 if host else 0, **found)

    return make


def test_forms_without_csrf_token_are_refused(ann: Any) -> None:
    client = browser(enforce_csrf_checks=True)
    client.force_login(ann, backend="allauth.account.auth_backends.AuthenticationBackend")
    for address in ("/account/login/", "/account/keys", "/account/teams", "/submit/pocket", "/account/logout/", "/account/delete"):
        answer = client.post(address, {"name": "x"})
        assert answer.status_code == 403, address
        assert "did not come from this board" in answer.content.decode()


def test_session_key_changes_on_login(ann: Any) -> None:
    client = browser()
    client.get("/account/login/")
    session = client.session
    session["planted"] = "x"
    session.save()
    client.cookies["sessionid"] = session.session_key
    client.post("/account/login/", LOGIN)
    assert client.cookies["sessionid"].value != session.session_key
    fresh = browser()
    fresh.cookies["sessionid"] = session.session_key
    assert fresh.get("/submissions").status_code == 302


@pytest.mark.parametrize("password", ["short1!", "password123", "1234567890123", "ann@example.org", "annexample.org"])
def test_weak_passwords_are_refused_at_registration(open_board: Path, password: str) -> None:
    from gluepot.board.accounts.models import Member

    answer = browser().post("/account/signup/", {"email": "ann@example.org", "password1": password, "password2": password})
    assert answer.status_code == 200
    assert not Member.objects.exists()


def test_passwords_are_hashed_with_argon2(ann: Any) -> None:
    assert ann.password.startswith("argon2$argon2id$")


def test_login_is_blocked_after_five_failed_attempts(ann: Any) -> None:
    client = browser()
    for _ in range(5):
        client.post("/account/login/", {**LOGIN, "password": "wrong guess"})
    refused = client.post("/account/login/", LOGIN)
    assert refused.status_code in (200, 429)
    assert client.get("/submissions").status_code == 302


def test_uploads_are_rate_limited_per_account_with_a_retry_time(ann: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from gluepot.board.submitting.intake import rate_limits

    monkeypatch.setattr(rate_limits, "EACH", 2)
    client = Visitor("ann", ann).client()
    (tmp_path / "x.jsonl").write_text("{}\n")
    codes = []
    for _ in range(3):
        with (tmp_path / "x.jsonl").open("rb") as stream:
            answer = client.post("/submit/pocket", {"name": "x", "files": stream})
        codes.append(answer.status_code)
    assert codes == [422, 422, 429]
    assert re.search(r"taken in \d+ seconds", answer.content.decode())


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "localhost:80@evil.example"])
def test_unknown_hosts_are_refused_and_send_no_email(ann: Any, host: str) -> None:
    answer = browser().post("/account/password/reset/", {"email": "ann@example.org"}, headers={"host": host})
    assert answer.status_code == 400
    assert not mail.outbox


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "http:evil.example"]
)
def test_redirects_stay_on_the_site(ann: Any, target: str) -> None:
    answer = browser().post("/account/login/", {**LOGIN, "next": target})
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/submissions"
    signed = Visitor("ann", ann).client()
    assert signed.post("/account/logout/", {"next": target}).headers["Location"] == "/"


@pytest.mark.parametrize(
    "email", ["ann@example.org\r\nBcc: eve@example.org", "ann@example.org%0aBcc:eve@example.org", '"a\nb"@example.org']
)
def test_email_address_with_a_line_break_gets_no_email(open_board: Path, email: str) -> None:
    browser().post("/account/signup/", {"email": email, "password1": PASSWORD, "password2": PASSWORD})
    assert not [letter for letter in mail.outbox if "eve" in str(letter.message()) or "\n" in letter.to[0]]


def test_submission_name_with_line_breaks_adds_no_email_header(open_board: Path) -> None:
    from gluepot.board.submitting.mails import mail_team

    ann = make_member("ann@example.org")
    facts = {"name": "x\r\nBcc: eve@example.org\r\n\r\nhello", "suite": "pocket 1", "key": "k", "reason": "no\nway"}
    mail_team(ann.teams.get().pk, "rejected", facts)
    letter = mail.outbox[-1]
    assert letter.message()["Bcc"] is None
    assert "\n" not in letter.subject


def test_password_reset_does_not_reveal_accounts(ann: Any) -> None:
    known, unknown = (browser().post("/account/password/reset/", {"email": email}) for email in ("ann@example.org", "nobody@example.org"))
    assert (known.status_code, known.headers.get("Location")) == (unknown.status_code, unknown.headers.get("Location"))


def test_private_pages_are_not_cacheable(ann: Any) -> None:
    client = Visitor("ann", ann).client()
    for address in ("/account/", "/submissions", "/submit/pocket", "/api/my/submissions", "/status.json"):
        assert client.get(address).headers["Cache-Control"] == "private, no-store", address
