"""Interaction with the quality page in a real browser."""

from typing import Any

import pytest

pytestmark = pytest.mark.slow
SUPERLIM = "/b/superlim/2.0.4"
LANGUAGES = {"": "en", "/sv": "sv", "/da": "da", "/ru": "ru", "/eu": "eu"}


def ranked(page: Any) -> list[str]:
    """Return the names of the ranked systems in the order shown."""
    return list(page.eval_on_selector_all("tbody[data-section=ranked] th[scope=row] a", "links => links.map(a => a.textContent)"))


def settled(page: Any, address: str) -> None:
    """Wait until the address is the canonical one, which means that the server has responded to a choice."""
    page.wait_for_function("end => location.href.endsWith(end)", arg=address)


def test_filters_find_the_best_small_model_for_grammar_errors(page: Any) -> None:
    page.goto(SUPERLIM)
    page.click("summary:has-text('Split')")
    page.click(".splits >> text=dev")
    page.click("summary:has-text('Tasks')")
    for box in page.query_selector_all("input[name=tasks]:checked"):
        if box.get_attribute("value") != "dalaj-ged-superlim":
            box.uncheck()
    settled(page, "?split=dev&tasks=dalaj-ged-superlim")
    page.click("summary:has-text('Size')")
    page.fill("#pmax", "150M")
    settled(page, "?split=dev&tasks=dalaj-ged-superlim&pmax=150M")
    assert ranked(page)[0] == "KBLab/bert-base-swedish-cased-new"
    assert set(ranked(page)) == {
        "KBLab/bert-base-swedish-cased-new",
        "KB/bert-base-swedish-cased",
        "KBLab/megatron-bert-base-swedish-cased-600k",
    }
    page.click("summary:has-text('Split')")
    page.click(".splits >> text=test")
    settled(page, "?split=test&tasks=dalaj-ged-superlim&pmax=150M")
    assert ranked(page)[0] == "KBLab/bert-base-swedish-cased-new"


def test_filters_and_sorting_work_without_javascript(plain: Any) -> None:
    plain.goto(SUPERLIM)
    plain.click("summary:has-text('Split')")
    plain.click(".splits >> text=dev")
    plain.click("summary:has-text('Tasks')")
    for box in plain.query_selector_all("input[name=tasks]:checked"):
        if box.get_attribute("value") != "dalaj-ged-superlim":
            box.uncheck()
    plain.click("summary:has-text('Size')")
    plain.fill("#pmax", "150M")
    plain.click("#choices details[open] button[type=submit]")
    assert plain.url.endswith("?split=dev&tasks=dalaj-ged-superlim&pmax=150M")
    assert ranked(plain)[0] == "KBLab/bert-base-swedish-cased-new"
    plain.click("th[data-key=name] > a.sort")
    assert plain.url.endswith("&sort=name")
    assert ranked(plain) == sorted(ranked(plain), key=str.casefold)


def test_filters_and_sorting_work_by_keyboard(page: Any) -> None:
    page.goto(SUPERLIM)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    tab_to(page, "document.activeElement.textContent.startsWith('Size')")
    page.keyboard.press("Enter")
    tab_to(page, "document.activeElement.id === 'pmax'")
    page.keyboard.type("150M")
    settled(page, "?pmax=150M")
    tab_to(page, "document.activeElement.closest('th')?.dataset.key === 'dalaj-ged-superlim'")
    page.keyboard.press("Enter")
    settled(page, "?only=dalaj-ged-superlim&pmax=150M")
    assert ranked(page)[0] == "KBLab/bert-base-swedish-cased-new"


def tab_to(page: Any, condition: str) -> None:
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(condition):
            return
    raise AssertionError(f"not reached by keyboard: {condition}")


def test_search_hides_rows_immediately_and_changes_no_rank(page: Any) -> None:
    page.goto(SUPERLIM)
    before = page.text_content("tr:has-text('KB/bert-base-swedish-cased') td.rank")
    page.fill("#q", "kb/bert")
    assert ranked(page) == ["KB/bert-base-swedish-cased"]
    settled(page, "?q=kb%2Fbert")
    assert page.text_content("tr:has-text('KB/bert-base-swedish-cased') td.rank") == before
    assert page.inner_text("#count").startswith("1 of ")


def test_sorting_marks_the_column_and_puts_unknown_values_last(page: Any) -> None:
    page.goto(SUPERLIM)
    for way in ("descending", "ascending"):
        page.click("a[data-key=parameters]")
        page.wait_for_selector(f"a.{way}[data-key=parameters]")
        shown = page.eval_on_selector_all("tbody[data-section=ranked] tr", "rows => rows.map(row => row.dataset.p ?? null)")
        known = [int(value) for value in shown if value is not None]
        assert known == sorted(known, reverse=way == "descending")
        assert shown[len(known) :] == [None] * (len(shown) - len(known))
        assert None in shown
    page.click("th[data-key=name] > a.sort")
    assert len(page.query_selector_all("[aria-sort]")) == 1


def test_address_restores_the_whole_state(page: Any) -> None:
    page.goto(f"{SUPERLIM}?tasks=swefaq,swenli&w=swenli:3&fam=Encoder&sort=name&ci=95")
    names = ranked(page)
    assert names == sorted(names, key=str.casefold)
    assert page.input_value("[name=w-swenli]") == "3"
    assert page.is_checked("[name=fam][value=Encoder]")
    assert page.eval_on_selector_all("thead th[data-key]", "all => all.slice(-2).map(th => th.dataset.key)") == ["swefaq", "swenli"]


@pytest.mark.parametrize("prefix", LANGUAGES)
def test_page_uses_the_language_of_its_address(page: Any, prefix: str) -> None:
    page.goto(f"{prefix}{SUPERLIM}")
    assert page.get_attribute("html", "lang") == LANGUAGES[prefix]
    shown = page.inner_text("tbody[data-section=ranked] td.main")
    assert ("." in shown) == (prefix == "")
    page.click("th[data-key=name] > a.sort")
    settled(page, f"{prefix}{SUPERLIM}?sort=name")


def test_page_has_no_inner_scrolling_and_shows_all_columns(page: Any, narrow: Any) -> None:
    for view, wide in ((page, 1400), (narrow, 390)):
        view.goto(SUPERLIM)
        assert view.evaluate("document.documentElement.scrollWidth") <= wide
        boxes = view.eval_on_selector_all(
            ".board, .board *", "all => all.filter(e => /auto|scroll/.test(getComputedStyle(e).overflowX)).length"
        )
        assert boxes == 0
    assert page.eval_on_selector_all("thead th[data-metrics]", "all => all.every(th => th.getBoundingClientRect().right <= innerWidth)")
    assert narrow.is_visible("#q")
    assert narrow.locator("tbody[data-section=ranked] td.main").first.bounding_box()["y"] < 800


def test_print_view_shows_every_column_without_overlaps(chromium: Any, site: str) -> None:
    context = chromium.new_context(base_url=site, viewport={"width": 1032, "height": 730})
    page = context.new_page()
    page.emulate_media(media="print")
    page.goto(SUPERLIM)
    heads = page.eval_on_selector_all(
        "thead th[data-metrics]", "all => all.map(th => th.getBoundingClientRect()).filter(box => box.width > 0)"
    )
    assert len(heads) == page.locator("thead th[data-metrics]").count() >= 10
    assert all(head["right"] <= 1032 for head in heads)
    ends = page.eval_on_selector_all("tbody[data-section=ranked] th a", "all => all.map(link => link.getBoundingClientRect().right)")
    starts = page.eval_on_selector_all("tbody[data-section=ranked] td.main", "all => all.map(cell => cell.getBoundingClientRect().left)")
    context.close()
    assert all(end <= start for end, start in zip(ends, starts, strict=True))
