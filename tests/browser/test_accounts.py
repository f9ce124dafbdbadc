"""Account pages in a browser: no accessibility violations on desktop and phone, in light and dark."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.browser.visitors import PASSWORD, Letters, code_of, look_all, press, register, sign_in, visit

pytestmark = pytest.mark.slow
ROOMS = ["account/", "account/email/", "account/password/change/", "account/2fa/", "account/privacy", "submissions", "submit", "status"]


def confirm(page: Any) -> None:
    """Enter the password again if reauthentication is required."""
    if "reauthenticate" in page.url:
        page.fill("[name=password]", PASSWORD)
        press(page, "main form button[type=submit]")


def test_account_pages_have_no_violations(chromium: Any, open_site: str, letters: Letters, axe: Any) -> None:
    with visit(chromium, open_site) as page:
        for entrance in ("login", "signup", "password/reset"):
            page.goto(f"/account/{entrance}/")
            look_all(page, axe, entrance.replace("/", "-"))
        page.goto("/account/signup/")
        page.fill("[name=email]", "rooms@example.org")
        for field in ("password1", "password2"):
            page.fill(f"[name={field}]", "12345")
        press(page, "main form button[type=submit]")
        look_all(page, axe, "signup-mistakes")
        register(page, letters, "rooms@example.org")
        page.goto("/account/")
        page.fill("[name=name]", "laptop")
        press(page, "form[action$='/account/keys'] button")
        look_all(page, axe, "new-key")
        for room in ROOMS:
            page.goto(f"/{room}")
            look_all(page, axe, room.replace("/", "-"))
        page.goto("/account/delete")
        confirm(page)
        look_all(page, axe, "delete")


def test_team_can_be_created_and_joined(chromium: Any, open_site: str, letters: Letters, axe: Any) -> None:
    with visit(chromium, open_site) as page:
        register(page, letters, "mate@example.org")
    with visit(chromium, open_site) as page:
        register(page, letters, "lead@example.org")
        page.goto("/account/")
        page.fill("#team-name", "Harbour Lab")
        press(page, "form[action$='/account/teams'] button")
        page.fill("[name=email]", "mate@example.org")
        press(page, "form.facts button")
        look_all(page, axe, "team")
    with visit(chromium, open_site) as page:
        found = re.search(r"http://[^/]+(/\S+)", letters.wait("mate@example.org", "Harbour Lab"))
        assert found
        page.goto(found[1])
        sign_in(page, "mate@example.org")
        assert "Harbour Lab" in page.locator("h1").inner_text()
        look_all(page, axe, "join")
        press(page, "main form button")
        assert page.locator("main li a", has_text="Harbour Lab").count() == 1


def test_second_factor_is_set_up_required_and_replaced_by_a_recovery_code(
    chromium: Any, open_site: str, letters: Letters, axe: Any, tmp_path: Path
) -> None:
    with visit(chromium, open_site) as page:
        register(page, letters, "factor@example.org")
        page.goto("/account/2fa/totp/activate/")
        confirm(page)
        look_all(page, axe, "totp-activate")
        page.fill("[name=code]", "000000")
        press(page, "main form button[type=submit]")
        look_all(page, axe, "totp-mistake")
        page.fill("[name=code]", code_of(page.locator("#authenticator_secret").input_value()))
        press(page, "main form button[type=submit]")
        look_all(page, axe, "recovery-codes")
        spare = page.locator("#recovery_codes").input_value().split()[0]
        for room in ("", "recovery-codes/generate/", "totp/deactivate/"):
            page.goto(f"/account/2fa/{room}")
            look_all(page, axe, f"2fa-{room.replace('/', '-')}")
    with visit(chromium, open_site) as page:
        page.goto("/account/login/")
        sign_in(page, "factor@example.org")
        look_all(page, axe, "totp-login")
        page.fill("[name=code]", spare)
        press(page, "main form button[type=submit]")
        assert page.locator("h1", has_text="Your submissions").count() == 1
