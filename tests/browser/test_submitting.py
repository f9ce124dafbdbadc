"""From registration to the board and off it again: in a browser, on a telephone, and from the terminal; with every letter that is sent."""

import base64
import hmac
import json
import os
import re
import shutil
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

pytestmark = pytest.mark.slow
PASSWORD = "correct horse battery"
MODERATOR = "mo@example.org"
PICTURES = os.environ.get("GLUEPOT_PICTURES")
"""A folder for screenshots, for people to look at."""
PATIENCE = 120_000
"""Milliseconds: a busy machine is no failure."""
SIZES = {"wide": {"width": 1400, "height": 1000}, "narrow": {"width": 390, "height": 800}}


class Letters:
    """A mail server that keeps what it is given."""

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
        """The text of a letter, which a worker may yet have to send."""
        for _ in range(600):
            found = [one for one in self.got if one["To"] == to and subject in one["Subject"]]
            if found:
                return str(found[-1].get_content())
            time.sleep(0.1)
        raise AssertionError(f"no letter “{subject}” to {to}: {[(one['To'], one['Subject']) for one in self.got]}")


@pytest.fixture(scope="module")
def letters() -> Iterator[Letters]:
    pytest.importorskip("aiosmtpd", reason="needs aiosmtpd")
    made = Letters()
    made.controller.start()
    yield made
    made.controller.stop()


@pytest.fixture(scope="module")
def open_site(letters: Letters) -> Iterator[str]:
    """A board with the sample of pocket on it, one worker and a moderator; letters come to the test."""
    import gluepot as package

    with TemporaryDirectory(prefix="gluepot-site-", ignore_cleanup_errors=True) as folder:
        import_into(Path(folder), str(Path(package.__file__).parent / "suites" / "pocket" / "sample"))
        words = gluepot("board", "admin", MODERATOR, "--dir", folder)
        subprocess.run(words, input=f"{PASSWORD}\n", text=True, check=True, capture_output=True, env=without_board())
        with served(
            Path(folder), workers=1, GLUEPOT_MAIL_URL=f"smtp://127.0.0.1:{letters.port}", GLUEPOT_MAIL_FROM="board@example.org"
        ) as site:
            yield site


@pytest.fixture(scope="module")
def moderator(chromium: Any, open_site: str) -> Iterator[Any]:
    """A page on which a moderator has passed the second factor."""
    context = chromium.new_context(base_url=open_site, viewport=SIZES["wide"])
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto("/moderation/")
    sign_in(page, MODERATOR)
    page.goto("/moderation/")
    page.fill("[name=password]", PASSWORD)  # once more, before a second factor is set up
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
    """A page of one's own; whatever its console complains of fails the test, but a form that is answered with what is wrong in it."""
    context = chromium.new_context(base_url=site, viewport=SIZES[size], bypass_csp=True)
    context.set_default_timeout(PATIENCE)
    page, wrong = context.new_page(), []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    context.close()
    assert [text for text in wrong if "status of 422" not in text] == []


def code_of(secret: str) -> str:
    """What an authenticator would show now."""
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
    """Nothing beyond the edge, and nothing that axe finds."""
    picture(page, f"{name}-{width}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    found = axe.run(page).response["violations"]
    assert [f"{name}: {one['id']} {node['html'][:200]}" for one in found for node in one["nodes"]] == []


def register(page: Any, letters: Letters, email: str) -> None:
    """An account whose address is verified by the letter's link."""
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
    """The sample with answers that nobody may give."""
    with zipfile.ZipFile(sample) as old, zipfile.ZipFile(to, "w") as new:
        for number, name in enumerate(old.namelist()):
            content = old.read(name)
            new.writestr(name, content.replace(b'"prediction":"', b'"prediction":"x', 9) if number == 0 else content)
    return to


def changed(sample: Path, to: Path, turn: int) -> Path:
    """The sample with the answers of its first file handed round, so that it is another submission."""
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


@pytest.mark.parametrize("size", SIZES)
def test_somebody_registers_mends_publishes_edits_and_withdraws(
    chromium: Any, open_site: str, moderator: Any, letters: Letters, axe: Any, size: str, tmp_path: Path
) -> None:
    email, name, width = f"{size}@example.org", f"{size}-model", SIZES[size]["width"]
    with visit(chromium, open_site, size) as page:
        register(page, letters, email)
        with page.expect_download() as download:
            page.click("text=Sample of all files")
        sample = tmp_path / "sample.zip"
        download.value.save_as(sample)
        look(page, axe, "submit", width)
        page.fill("#name", name)
        page.set_input_files("#files", broken(sample, tmp_path / "broken.zip"))
        press(page, "form.drop button")
        assert "Not scored" in page.locator("[role=alert]").inner_text()
        assert page.locator("code", has_text="unknown-label").first.is_visible()
        look(page, axe, "problems", width)
        page.set_input_files("#files", changed(sample, tmp_path / f"{name}.zip", 1 + len(size)))
        press(page, "form.drop button")
        page.wait_for_selector("text=Where it would stand", timeout=PATIENCE)
        assert "if it were published" in page.locator(".lead").inner_text()
        look(page, axe, "private", width)
        press(page, "button[name=send]")
        assert page.locator(".facts .todo").count() >= 5
        fill_facts(page, name, "Encoder")
        press(page, "button[name=send]")
        assert name in letters.wait(email, "was verified")
        decide(moderator, name, "approve")
        assert name in letters.wait(email, "is published")
        page.reload()
        press(page, "a:has-text('On the board')")
        assert page.locator("h1", has_text=name).count() == 1
        page.go_back()
        fill_facts(page, name, "Decoder")
        press(page, "button[name=send]")
        assert "Encoder" in page.request.get(page.locator("a:has-text('On the board')").get_attribute("href")).text()
        decide(moderator, name, "reject", "no source for that")
        assert "no source for that" in letters.wait(email, "was not published")
        page.reload()
        press(page, "a:has-text('Withdraw')")
        look(page, axe, "withdraw", width)
        press(page, "main form button")
        assert page.locator(".lead", has_text="Withdrawn").count() == 1
        page.goto("/submissions")
        look(page, axe, "own", width)
        page.goto("/account/")
        look(page, axe, "account", width)


def test_gluepot_submit_from_the_terminal_waits_for_the_private_score(
    chromium: Any, open_site: str, letters: Letters, tmp_path: Path
) -> None:
    email = "terminal@example.org"
    with visit(chromium, open_site) as page:
        register(page, letters, email)
        with page.expect_download() as download:
            page.click("text=Sample of all files")
        sample = tmp_path / "my-answers.zip"
        download.value.save_as(sample)
        page.goto("/account/")
        page.fill("[name=name]", "terminal")
        press(page, "form[action$='/account/keys'] button")
        key = page.locator("#secret").inner_text()
    words = gluepot("submit", "my-answers.zip", "--suite", "pocket", "--name", "my-model", "--to", open_site)
    environment = without_board() | {"GLUEPOT_KEY": key}
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "if it were published" in done.stdout
    bad = gluepot("submit", str(broken(sample, tmp_path / "broken.zip")), "--suite", "pocket", "--to", open_site)
    refused = subprocess.run(bad, cwd=tmp_path, capture_output=True, text=True, env=environment, timeout=120)
    assert refused.returncode == 1
    assert "unknown-label" in refused.stderr


PROGRAM = """
import json, sys
for line in sys.stdin:
    item = json.loads(line)
    print(json.dumps({"id": item["id"], "prediction": item["labels"][0]}), flush=True)
"""


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_a_program_is_sent_from_the_terminal_allowed_run_and_shown_as_run_here(
    chromium: Any, open_site: str, moderator: Any, letters: Letters, axe: Any, tmp_path: Path
) -> None:
    email, name = "program@example.org", "my-program"
    with visit(chromium, open_site, "narrow") as page:
        register(page, letters, email)
        page.click("summary:has-text('Send a program instead')")
        look(page, axe, "program-form", 390)
        page.goto("/account/")
        page.fill("[name=name]", "terminal")
        press(page, "form[action$='/account/keys'] button")
        key = page.locator("#secret").inner_text()
        (tmp_path / "model.py").write_text(PROGRAM)
        words = gluepot("submit", "command:python3 model.py", "pocket/stance-sv", "--name", name, "--to", open_site, "--json")
        sent = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=without_board() | {"GLUEPOT_KEY": key}, timeout=120)
        assert sent.returncode == 0, sent.stderr
        told = json.loads(sent.stdout)
        assert (told["state"], [file["name"] for file in told["program"]["files"]]) == ("proposed", ["model.py"])
        assert "waits for a moderator" in sent.stderr
        page.goto(told["page"])
        look(page, axe, "program-asked", 390)
        moderator.goto("/moderation/submitting/submittedprogram/?permission__exact=asked")
        press(moderator, f"#result_list a:has-text('{name}')")
        assert told["program"]["digest"] in moderator.content()
        picture(moderator, "program-moderation")
        moderator.select_option("[name=decision]", "allow")
        moderator.fill("[name=why]", "read it: it answers with the first label")
        press(moderator, "[name=_save]")
        page.reload()  # from here on it does so by itself
        page.wait_for_selector("text=Task by task", timeout=2 * PATIENCE)
        look(page, axe, "program-scored", 390)
        page.set_viewport_size(SIZES["wide"])
        look(page, axe, "program-scored", 1400)
        page.set_viewport_size(SIZES["narrow"])
        fill_facts(page, name, "Other")
        press(page, "button[name=send]")
        decide(moderator, name, "approve")
        letters.wait(email, "is published")
    with visit(chromium, open_site) as page:
        page.goto("/b/pocket?q=my-program")
        assert page.locator("tr:has-text('my-program') .badge.ran", has_text="ran here").count() == 1
        look(page, axe, "program-standings", 1400)
        page.set_viewport_size(SIZES["narrow"])
        look(page, axe, "program-standings", 390)
        page.set_viewport_size(SIZES["wide"])
        page.goto("/b/pocket/1/performance")
        assert page.locator("svg", has_text="my-program").count() >= 1
        look(page, axe, "program-performance", 1400)


@pytest.mark.parametrize("language", ["sv", "da", "ru", "eu"])
def test_pages_fit_a_telephone_in_every_language(chromium: Any, open_site: str, axe: Any, language: str) -> None:
    with visit(chromium, open_site, "narrow") as page:
        for address in ("submit", "submit/pocket", "account/login/", "account/signup/", "account/privacy", "status"):
            page.goto(f"/{language}/{address}")
            assert page.locator("html").get_attribute("lang") == language
            look(page, axe, f"{language}-{address.replace('/', '-')}", 390)
