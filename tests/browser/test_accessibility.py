"""Accessibility of every page: axe in light and dark, narrow screens, and layout that axe does not check."""

from itertools import pairwise
from typing import Any

import pytest

pytestmark = pytest.mark.slow
SUPERLIM, RUSSIAN, POCKET = "/b/superlim/2.0.4", "/b/russian-superglue/1.1", "/b/pocket/1.0"
MISSING = "/b/nothing"
PAGES = [
    "/",
    SUPERLIM,
    f"{SUPERLIM}?ci=95&tasks=swefaq,swenli&fam=Encoder&colour=red",
    f"/ru{RUSSIAN}",
    f"{RUSSIAN}/performance",
    f"{SUPERLIM}/frontier",
    f"{SUPERLIM}/diagnostics",
    f"{SUPERLIM}/tasks",
    f"{SUPERLIM}/tasks/swenli",
    f"{SUPERLIM}/compare?a=kb-bert-base-swedish-cased&b=svm",
    "/s/kb-bert-base-swedish-cased",
    "/search?q=grammar",
    "/errata",
    "/api/docs",
    MISSING,
]


def violations(axe: Any, page: Any) -> list[str]:
    found = axe.run(page).response["violations"]
    return [f"{one['id']}: {one['help']} ({node['html'][:200]})" for one in found for node in one["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", PAGES)
def test_axe_finds_no_violations(chromium: Any, site: str, axe: Any, address: str, scheme: str) -> None:
    context = chromium.new_context(base_url=site, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    answer = page.goto(address)
    assert answer.status == (404 if address == MISSING else 200)
    for details in page.query_selector_all("main details:not([open]) > summary"):
        details.click()
    found = violations(axe, page)
    context.close()
    assert found == []


@pytest.mark.parametrize("address", [SUPERLIM, f"{SUPERLIM}?only=swefaq", RUSSIAN, f"{SUPERLIM}/tasks/swefaq"])
def test_axis_numbers_do_not_overlap(page: Any, address: str) -> None:
    page.goto(address)
    boxes = page.eval_on_selector_all("th.main .scale text", "all => all.map(one => one.getBoundingClientRect()).filter(box => box.width)")
    assert len(boxes) >= 2
    assert all(after["left"] - before["right"] >= 3 for before, after in pairwise(boxes))


@pytest.mark.parametrize("address", [address for address in PAGES if address != MISSING])
def test_pages_fit_a_narrow_screen(narrow: Any, address: str) -> None:
    narrow.goto(address)
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 390
    assert narrow.evaluate("document.querySelectorAll('h1').length") == 1


@pytest.mark.parametrize("query", ["", "?with=russian-superglue"])
def test_a_phone_shows_scores_by_category_without_scrolling_sideways(narrow: Any, query: str) -> None:
    narrow.goto(f"{SUPERLIM}/diagnostics{query}")
    cells = "all => all.map(cell => cell.getBoundingClientRect().right).filter(right => right > 0)"
    ends = narrow.eval_on_selector_all("table.heat >> nth=0 >> css=td", cells)
    assert len(ends) >= 20
    assert max(ends) <= 390
    assert narrow.locator("p.narrow").is_visible()


@pytest.mark.parametrize("language", ["", "/ru", "/eu"])
def test_comparison_labels_do_not_overlap_numbers_on_a_phone(narrow: Any, language: str) -> None:
    narrow.goto(f"{language}{SUPERLIM}/compare?a=kb-bert-base-swedish-cased&b=svm")
    ends = narrow.eval_on_selector_all(
        ".duels tbody tr", "all => all.map(row => [...row.cells].slice(0, 3).map(cell => cell.getBoundingClientRect()))"
    )
    assert ends
    assert all(before["right"] <= after["left"] + 1 for row in ends for before, after in pairwise(row))


def test_snapshot_headers_do_not_overlap(page: Any) -> None:
    page.goto(SUPERLIM)
    page.goto(page.get_attribute(".cite a[href*='/snap/']", "href"))
    assert page.locator("th.main .scale text").count() >= 2
    wide = page.eval_on_selector_all("thead th:not(.tick)", "all => all.filter(head => head.scrollWidth > head.clientWidth + 1).length")
    assert wide == 0


def test_reported_mark_has_the_text_colour_on_every_shade(page: Any) -> None:
    page.goto(f"{SUPERLIM}/diagnostics")
    colours = page.eval_on_selector_all("[class^=heat-] :is(i, small)", "all => all.map(one => getComputedStyle(one).color)")
    assert set(colours) == {page.evaluate("getComputedStyle(document.body).color")}
