"""Fixtures and actions of visitors to a board that accepts submissions: browsers, emails and recurring steps."""

import base64
import hmac
import os
import re
import socket
import struct
import subprocess
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.board.made import without_board
from tests.board.serving import gluepot, import_into, served
from tests.board.submitting.hiding import write_suite

PASSWORD = "correct horse battery"
MODERATOR = "mo@example.org"
PICTURES = os.environ.get("GLUEPOT_PICTURES")
"""Folder for screenshots for visual inspection."""
PATIENCE = 120_000
"""Timeout in milliseconds, generous enough for a busy machine."""
SIZES = {"wide": {"width": 1400, "height": 1000}, "narrow": {"width": 390, "height": 800}}


class Letters:
    """Mail server that stores the messages it receives."""

    def __init__(self) -> None:
        from aiosmtpd.controller import Controller

        self.got: list[Any] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.controller = Controller(self, hostname="127.0.0.1", port=self.port)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.got.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 OK"

    def wait(self, to: str, subject: str) -> str:
        """Wait for an email, which a worker may still have to send, and return its text."""
        for _ in range(600):
            found = [one for one in self.got if one["To"] == to and subject in one["Subject"]]
            if found:
                return str(found[-1].get_content())
            time.sleep(0.1)
        raise AssertionError(f"no letter “{subject}” to {to}: {[(one['To'], one['Subject']) for one in self.got]}")


@pytest.fixture(scope="session")
def letters() -> Iterator[Letters]:
    pytest.importorskip("aiosmtpd", reason="needs aiosmtpd")
    made = Letters()
    made.controller.start()
    yield made
    made.controller.stop()


@pytest.fixture(scope="session")
def board_folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="gluepot-site-", ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "board"


@pytest.fixture(scope="session")
def own_suite(board_folder: Path) -> Path:
    """Write a custom suite of one task with public labels and a quota of two submissions a week."""
    folder = write_suite(board_folder.parent / "suites", "ladder")
    declared, task = folder / "suite.toml", folder / "coins" / "task.toml"
    declared.write_text(declared.read_text().replace("quota = 1000", "quota = 2\ndays = 7"))
    task.write_text(task.read_text().replace('unlabelled = ["test"]', ""))
    (folder.parent / "answers" / "coins" / "test.jsonl").replace(folder / "data" / "coins" / "test.jsonl")
    return folder


@pytest.fixture(scope="session")
def open_site(letters: Letters, board_folder: Path, own_suite: Path) -> Iterator[str]:
    """Serve a board with the sample of pocket, one worker and a moderator; its emails go to `letters`."""
    import gluepot as package

    import_into(board_folder, str(Path(package.__file__).parent / "suites" / "pocket" / "sample"))
    words = gluepot("board", "admin", MODERATOR, "--dir", str(board_folder))
    subprocess.run(words, input=f"{PASSWORD}\n", text=True, check=True, capture_output=True, env=without_board())
    mail = {"GLUEPOT_MAIL_URL": f"smtp://127.0.0.1:{letters.port}", "GLUEPOT_MAIL_FROM": "board@example.org"}
    with served(board_folder, workers=1, GLUEPOT_SUITES=str(own_suite.parent), **mail) as site:
        yield site


@pytest.fixture(scope="session")
def moderator(chromium: Any, open_site: str) -> Iterator[Any]:
    """Yield a page on which a moderator has passed the second factor."""
    context = chromium.new_context(base_url=open_site, viewport=SIZES["wide"])
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto("/moderation/")
    sign_in(page, MODERATOR)
    page.goto("/moderation/")
    page.fill("[name=password]", PASSWORD)  # reauthentication before a second factor is set up
    press(page, "main form button[type=submit]")
    assert page.locator(".qr svg path").count() == 1
    picture(page, "second-factor")
    secret = page.locator("#authenticator_secret").input_value()
    page.fill("[name=code]", code_of(secret))
    press(page, "main form button[type=submit]")
    page.goto("/moderation/")
    page.fill("[name=code]", code_of(secret))
    press(page, "main form button[type=submit]")
    assert page.locator("h1", has_text="What waits for a decision").count() == 1
    yield page
    context.close()


@pytest.fixture(scope="session")
def axe() -> Any:
    return pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python").Axe()


@contextmanager
def visit(chromium: Any, site: str, size: str = "wide") -> Iterator[Any]:
    """Open a page in a new context; console errors and warnings fail the test, except responses 422 and 429."""
    context = chromium.new_context(base_url=site, viewport=SIZES[size], bypass_csp=True)
    context.set_default_timeout(PATIENCE)
    page, wrong = context.new_page(), []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    context.close()
    assert [text for text in wrong if not re.search("status of (422|429)", text)] == []


def code_of(secret: str) -> str:
    """Return the current TOTP code of a secret."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // 30), "sha1").digest()
    at = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[at : at + 4])[0] & 0x7FFFFFFF) % 10**6:06d}"


def press(page: Any, button: str) -> None:
    with page.expect_navigation():
        page.locator(button).first.click()


def sign_in(page: Any, email: str) -> None:
    page.fill("[name=login]", email)
    page.fill("[name=password]", PASSWORD)
    press(page, "main form button[type=submit]")


def picture(page: Any, name: str) -> None:
    if PICTURES:
        page.screenshot(path=f"{PICTURES}/{name}.png", full_page=True)


def look(page: Any, axe: Any, name: str, width: int) -> None:
    """Assert that the page fits its width and has no axe violations."""
    picture(page, f"{name}-{width}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    found = axe.run(page).response["violations"]
    told = [f"{name}: {one['id']} {node['html'][:200]}" for one in found for node in one["nodes"]]
    assert told == [], told


def look_all(page: Any, axe: Any, name: str) -> None:
    """Check the page on a desktop in light and on a phone in dark."""
    look(page, axe, name, SIZES["wide"]["width"])
    page.set_viewport_size(SIZES["narrow"])
    page.emulate_media(color_scheme="dark")
    look(page, axe, name, SIZES["narrow"]["width"])
    page.set_viewport_size(SIZES["wide"])
    page.emulate_media(color_scheme="light")


def register(page: Any, letters: Letters, email: str) -> None:
    """Register an account and verify its address by the link in the email."""
    page.goto("/")
    press(page, "header a[href='/account/']")
    press(page, "main a[href*='/account/signup/']")
    page.fill("[name=email]", email)
    page.fill("[name=password1]", PASSWORD)
    page.fill("[name=password2]", PASSWORD)
    assert not page.locator("[name=homepage]").is_visible() or page.locator("[name=homepage]").bounding_box()["x"] < 0
    press(page, "main form button[type=submit]")
    found = re.search(r"http://\S+(/account/confirm-email/\S+)", letters.wait(email, ""))
    assert found
    page.goto(found[1])
    press(page, "main form button[type=submit]")
    page.goto("/account/login/?next=/submit/pocket")
    if page.locator("[name=login]").count():
        sign_in(page, email)
    page.goto("/submit/pocket")


def broken(sample: Path, to: Path) -> Path:
    """Write the sample with invalid labels in its first file."""
    with zipfile.ZipFile(sample) as old, zipfile.ZipFile(to, "w") as new:
        for number, name in enumerate(old.namelist()):
            content = old.read(name)
            new.writestr(name, content.replace(b'"prediction":"', b'"prediction":"x', 9) if number == 0 else content)
    return to


def changed(sample: Path, to: Path, turn: int) -> Path:
    """Write a distinct submission by rotating the predictions of the sample's first file."""
    with zipfile.ZipFile(sample) as old, zipfile.ZipFile(to, "w") as new:
        for number, name in enumerate(old.namelist()):
            lines = old.read(name).decode().splitlines()
            if number == 0:
                ids = [re.search(r'"id":"[^"]*"', line)[0] for line in lines]  # type: ignore[index]
                rest = [re.sub(r'"id":"[^"]*"', "ID", line) for line in lines]
                lines = [line.replace("ID", one) for one, line in zip(ids, rest[turn:] + rest[:turn], strict=True)]
            new.writestr(name, "\n".join(lines) + "\n")
    return to


def fill_facts(page: Any, name: str, family: str) -> None:
    values = {"name": name, "parameters": "124M", "data_size": "12.5", "data_kind": "news", "link": "https://example.org/paper"}
    for field, value in values.items():
        page.fill(f"[name={field}]", value)
    page.select_option("[name=family]", family)
    for field in page.locator("select[name^=trained]").all():
        field.select_option("train")


def decide(moderator: Any, name: str, decision: str, why: str = "") -> None:
    moderator.goto("/moderation/submitting/factsheet/?state__exact=review")
    press(moderator, f"#result_list a:has-text('{name}')")
    moderator.select_option("[name=decision]", decision)
    moderator.fill("[name=why]", why)
    press(moderator, "[name=_save]")
