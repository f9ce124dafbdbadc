"""User journeys with a limit on the number of actions, and tests of search, language and messages."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.browser.conftest import watched

pytestmark = pytest.mark.slow
GRAMMAR = "?only=dalaj-ged-superlim&pmax=150M"


class Visitor:
    """User of a page whose clicks and choices are counted."""

    def __init__(self, page: Any) -> None:
        self.page, self.actions = page, 0

    def click(self, where: str) -> None:
        self.actions += 1
        self.page.locator(where).first.click()

    def choose(self, where: str, value: str) -> None:
        self.actions += 1
        self.page.select_option(where, value)


@pytest.fixture(params=[1400, 390])
def visitor(request: pytest.FixtureRequest, chromium: Any, site: str) -> Iterator[Visitor]:
    """Yield a visitor with the viewport of a desktop and of a phone."""
    for page in watched(chromium, site, viewport={"width": request.param, "height": 844}):
        yield Visitor(page)


def test_a_grammar_model_below_150_million_parameters_takes_four_actions(visitor: Visitor) -> None:
    visitor.page.goto("/")
    visitor.choose("#what", "grammar")
    visitor.choose("#in", "sv")
    visitor.choose("#max", "150M")
    visitor.click(".ask button")
    visitor.page.wait_for_url(f"**{GRAMMAR}")
    first = visitor.page.locator("tbody[data-section=ranked] tr").first
    assert "KBLab/bert-base-swedish-cased-new" in first.inner_text().replace("\n", "")
    assert first.locator("td.main").inner_text().startswith("75.")
    assert visitor.actions <= 4


def test_comparison_as_latex_and_bibtex_takes_five_actions(visitor: Visitor) -> None:
    page = visitor.page
    page.goto("/")
    visitor.click(".suites a:has-text('Superlim')")
    for name in ("kb-bert-base-swedish-cased", "kblab-megatron-bert-large-swedish-cased-165k"):
        visitor.click(f"input[name=s][value={name}]")
    visitor.click("button[value=compare]")
    page.wait_for_url("**/compare?**")
    latex = page.locator(".files a:has-text('TEX')").get_attribute("href")
    assert "@misc{" in page.locator(".cite pre").inner_text()
    assert r"\begin{tabular}" in page.evaluate("address => fetch(address).then(answer => answer.text())", latex)
    assert visitor.actions + 1 <= 5, "the file itself is one more click"


def test_performance_page_shows_the_best_three_on_a_phone_without_scrolling(narrow: Any) -> None:
    narrow.goto("/b/russian-superglue/1.1/performance")
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 390
    rows = narrow.locator("table tbody tr")
    for number in range(3):
        for cell in (rows.nth(number).locator("th"), *(rows.nth(number).locator("td").nth(at) for at in range(2))):
            box = cell.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390


def test_board_shows_a_score_on_the_first_screen_of_a_phone(narrow: Any) -> None:
    narrow.goto("/b/basqueglue/1.0")
    box = narrow.locator("tbody[data-section=ranked] td.main output").first.bounding_box()
    assert box["y"] + box["height"] <= 800
    assert box["x"] + box["width"] <= 390


def test_question_without_a_task_suggests_the_nearest(page: Any) -> None:
    page.goto("/?what=grammar&in=ru")
    assert "grammar errors" in page.locator(".warning:not(.copy)").inner_text()


@pytest.mark.parametrize("word", ["grammar", "grammatik", "грамматика", "gramatika"])
def test_search_finds_tasks_by_plain_words_of_any_language(page: Any, word: str) -> None:
    page.goto(f"/search?q={word}")
    assert page.locator(".hits a").first.inner_text() == "grammar errors"


def test_first_visit_uses_the_language_of_the_browser_until_another_is_chosen(chromium: Any, site: str) -> None:
    for page in watched(chromium, site, locale="sv-SE"):
        page.goto("/")
        assert page.get_attribute("html", "lang") == "sv"
        page.click(".languages summary")
        page.click(".languages a[lang=en]")
        assert page.get_attribute("html", "lang") == "en"


def test_invalid_and_empty_choices_show_a_message(page: Any) -> None:
    page.goto("/b/superlim/2.0.4/?pmax=1&pin=nosuch&page=99")
    said = page.locator("main > .warning:not(.copy)").all_inner_texts()
    assert any("pin=nosuch" in one and "page=99" in one for one in said)
    assert any(one.startswith("No system fits this choice") for one in said)
    page.click(".empty a")
    assert page.locator("tbody[data-section=ranked] tr").count() > 3
