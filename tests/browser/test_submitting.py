"""Submitting from registration to withdrawal, in a desktop and a phone browser and from the terminal, with every email sent."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.board.made import without_board
from tests.board.serving import gluepot
from tests.browser.visitors import PATIENCE, SIZES, Letters, broken, changed, decide, fill_facts, look, picture, press, register, visit

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("size", SIZES)
def test_member_registers_corrects_publishes_edits_and_withdraws_a_submission(
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
        page.wait_for_selector("text=Where it would rank", timeout=PATIENCE)
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
    assert "if published" in done.stdout
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
def test_program_is_submitted_from_the_terminal_allowed_run_and_marked_as_run_here(
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
        page.reload()  # from here on the page reloads itself
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
def test_pages_fit_a_phone_in_every_language(chromium: Any, open_site: str, axe: Any, language: str) -> None:
    with visit(chromium, open_site, "narrow") as page:
        for address in ("submit", "submit/pocket", "account/login/", "account/signup/", "account/privacy", "status"):
            page.goto(f"/{language}/{address}")
            assert page.locator("html").get_attribute("lang") == language
            look(page, axe, f"{language}-{address.replace('/', '-')}", 390)
