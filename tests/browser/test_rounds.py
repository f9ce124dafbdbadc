"""An annotation round from plan to board: three raters use keyboard, touch and no JavaScript; one is interrupted and resumes."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.board.made import without_board
from tests.board.serving import gluepot, import_into, served

pytestmark = pytest.mark.slow
PICTURES = os.environ.get("GLUEPOT_PICTURES")
"""Folder for screenshots for visual inspection."""


@pytest.fixture
def axe() -> Any:
    return pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python").Axe()


@contextmanager
def opened(place: Path, *words: str, end: signal.Signals = signal.SIGINT) -> Iterator[list[str]]:
    """Run `annotate open` and yield its address and the lines of its file of links."""
    command = gluepot("annotate", "open", *words, "--dir", str(place / "board"), "--port", "0", "--links", str(place / "links"))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=without_board(), cwd=place)
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    try:
        yield [address, *(place / "links").read_text().splitlines()]
    finally:
        process.send_signal(end)
        process.communicate(timeout=60)


def run(place: Path, *words: str) -> str:
    done = subprocess.run(gluepot(*words), capture_output=True, text=True, env=without_board(), cwd=place)
    assert done.returncode == 0, done.stderr
    return done.stdout


def picture(page: Any, name: str) -> None:
    if PICTURES:
        page.screenshot(path=f"{PICTURES}/{name}.png", full_page=True)


def begin(chromium: Any, link: str, **settings: Any) -> Any:
    page = chromium.new_context(**{"viewport": {"width": 1400, "height": 850}, **settings}).new_page()
    answer = page.goto(link)
    assert answer.status == 200, page.inner_text("main")
    with page.expect_navigation():
        page.click("button[value=consent]")
    return page


def rate(page: Any, press: Any, most: int = 60) -> int:
    """Answer items until none is left or `most` are answered; return the number of answers."""
    for done in range(most):
        if page.locator("h1", has_text="Thank you").count():
            return done
        with page.expect_navigation():
            press(page, done)
    return most


def by_key(page: Any, done: int) -> None:
    page.keyboard.press(str(1 + done % 2))


def by_touch(page: Any, done: int) -> None:
    page.locator(".answers button").nth(done % 2).tap()


def by_click(page: Any, done: int) -> None:
    page.locator(".answers button").nth(done % 2).click()


def violations(axe: Any, page: Any) -> list[str]:
    return [f"{one['id']}: {node['html'][:200]}" for one in axe.run(page).response["violations"] for node in one["nodes"]]


def test_a_round_from_plan_to_the_board(chromium: Any, axe: Any, tmp_path: Path) -> None:
    assert json.loads(run(tmp_path, "annotate", "plan", "--within", "0.05", "--json"))["items"] == 141
    run(
        tmp_path,
        "annotate",
        "new",
        "pocket/stance-sv",
        "--items",
        "8",
        "--votes",
        "2",
        "--controls",
        "1",
        "--training",
        "1",
        "--name",
        "first",
    )
    with opened(tmp_path, "rounds/first.json", "--raters", "3", end=signal.SIGKILL) as (address, *links):
        people = dict(line.split("  ") for line in links)
        left = begin(chromium, people["wren"])
        picture(left, "item-1400")
        assert rate(left, by_key, 4) == 4
        old = address
    with opened(tmp_path, "first") as (address, *_):
        people = {name: link.replace(old, address) for name, link in people.items()}
        phone = begin(chromium, people["robin"], viewport={"width": 390, "height": 800}, has_touch=True)
        picture(phone, "item-390")
        assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
        rate(phone, by_touch)
        plain = begin(chromium, people["heron"], java_script_enabled=False)
        picture(plain, "item-plain")
        rate(plain, by_click)
        back = chromium.new_context().new_page()
        back.goto(people["wren"])
        rate(back, by_key)
        picture(back, "thanks")
        keeper = chromium.new_context(viewport={"width": 1400, "height": 900}, bypass_csp=True).new_page()
        keeper.goto(people["keeper"])
        picture(keeper, "keeper")
        assert "16 of 16 votes" in keeper.inner_text("main")
        assert violations(axe, keeper) == []
        if keeper.locator("table a").count():  # the keeper adjudicates disputed items
            keeper.locator("table a").first.click()
            assert violations(axe, keeper) == []
            with keeper.expect_navigation():
                keeper.locator(".answers button").first.click()
            assert "16 of 16 votes" in keeper.inner_text("main")
    run(tmp_path, "annotate", "export", "first", "--dir", "board")
    run(tmp_path, "human", "pocket/stance-sv", "votes.jsonl", "--out", "people", "--resamples", "100")
    run(tmp_path, "evaluate", "majority", "pocket/stance-sv", "--out", "system")
    import_into(tmp_path / "board", str(tmp_path / "people"), str(tmp_path / "system"))
    with served(tmp_path / "board") as site:
        page = chromium.new_context(viewport={"width": 1400, "height": 1000}).new_page()
        page.goto(f"{site}/b/pocket/1/tasks/stance-sv?split=test")
        picture(page, "task-people")
        section = page.inner_text("section.people")
        assert "majority" in section
        assert page.request.get(f"{site}/r/{people['wren'].rpartition('/')[2]}").status == 404


SERVE = """
import sys
from pathlib import Path
from gluepot.board.server.setup import open_board
open_board(Path(sys.argv[1]))
from gluepot.board.rounds.opening import add_raters, open_round
from gluepot.board.rounds.serving import serve_rounds
from gluepot.board.server.database import use_role
from gluepot.board.server.postgres.roles import ROUNDS
from gluepot.people.rounds.drawing import RoundSettings, draw_round
from gluepot.tasks.declarations import find

links = []
for name in sys.argv[2:]:
    task = find(f"pocket/{name}")[1]
    made, keeper = open_round(draw_round(task, RoundSettings(items=1, votes=2, name=name)), task)
    links += [" ".join([name, keeper, *(token for _, token in add_raters(made, 2))])]
use_role(ROUNDS)
serve_rounds("127.0.0.1", [0], lambda address: print(address, *links, sep="\\n", flush=True))
"""
TASKS = {
    "idioms-da": lambda page: page.keyboard.press("1"),
    "word-pairs-eu": lambda page: page.keyboard.press("x"),
    "entities-da": lambda page: mark_first(page),
    "multi-choice-ru": lambda page: (page.keyboard.press("1"), page.keyboard.press("n")),
    "questions-da": lambda page: (page.fill("#answer", "svar"), page.press("#answer", "Enter")),
    "summaries-eu": lambda page: (page.fill("#answer", "laburpena"), page.click(".free button")),
}
"""Function that answers each form without a pointing device."""


def mark_first(page: Any) -> None:
    page.locator(".words input").first.focus()
    page.keyboard.press("Space")
    with page.expect_navigation():
        page.keyboard.press("1")
    assert page.locator(".found").count() == 1
    page.keyboard.press("n")


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Serve a board with a round of every form; yield its address and the tokens of keeper and raters by task."""
    words = [gluepot()[0], "-c", SERVE, str(tmp_path_factory.mktemp("forms") / "board"), *TASKS]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=without_board())
    assert process.stdout is not None
    address, *lines = (process.stdout.readline().strip() for _ in range(1 + len(TASKS)))
    try:
        yield address, {line.split()[0]: line.split()[1:] for line in lines}
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


@pytest.mark.parametrize("task", TASKS)
def test_every_form_works_by_keyboard_without_axe_violations(chromium: Any, axe: Any, forms: Any, task: str) -> None:
    address, tokens = forms
    page = chromium.new_context(bypass_csp=True, locale="ru").new_page()
    page.goto(f"{address}/r/{tokens[task][1]}")
    assert page.get_attribute("html", "lang") == "ru"
    assert violations(axe, page) == []
    with page.expect_navigation():
        page.click("button[value=consent]")
    picture(page, f"form-{task}")
    assert violations(axe, page) == []
    TASKS[task](page)
    page.locator("h1", has_text="Спасибо").wait_for()
    assert violations(axe, page) == []


@pytest.mark.parametrize("task", ["entities-da", "word-pairs-eu"])
def test_pages_fit_a_phone_in_dark_mode_without_javascript(chromium: Any, axe: Any, forms: Any, task: str) -> None:
    address, tokens = forms
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "dark", "locale": "eu"}
    for script in (False, True):  # axe needs JavaScript, raters do not
        page = chromium.new_context(**phone, java_script_enabled=script, bypass_csp=True).new_page()
        page.goto(f"{address}/r/{tokens[task][2]}")
        if page.locator("button[value=consent]").count():
            page.locator("button[value=consent]").tap()
        page.locator("form.rate").wait_for()
        picture(page, f"dark-{task}-{script}")
    assert violations(axe, page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = "[...document.querySelectorAll('.answers button, .after button')].filter(b => b.getBoundingClientRect().height < 43).length"
    assert page.evaluate(small) == 0


def test_invalid_link_and_keeper_page_have_no_axe_violations(chromium: Any, axe: Any, forms: Any) -> None:
    address, tokens = forms
    for scheme in ("light", "dark"):
        page = chromium.new_context(bypass_csp=True, color_scheme=scheme).new_page()
        assert page.goto(f"{address}/r/{'a' * 30}").status == 404
        assert violations(axe, page) == []
        page.goto(f"{address}/keeper/{tokens['word-pairs-eu'][0]}")
        assert violations(axe, page) == []


def test_rater_pages_are_not_cacheable(chromium: Any, forms: Any) -> None:
    address, tokens = forms
    headers = chromium.new_context().new_page().request.get(f"{address}/r/{tokens['idioms-da'][1]}").headers
    assert headers["cache-control"] == "private, no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["server"] == "gluepot"  # no server software and no version
