"""An exported copy in a real browser, served as static files."""

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.board.exporting import STATES, shared_copy
from tests.browser.conftest import watched

pytestmark = pytest.mark.slow


class Quiet(SimpleHTTPRequestHandler):
    """Request handler of `python -m http.server` without its log."""

    def log_message(self, *_given: Any) -> None:
        pass


@pytest.fixture(scope="module")
def made() -> tuple[Path, dict[str, Any]]:
    pytest.importorskip("django", reason="needs the extra 'board'")
    return shared_copy()


@pytest.fixture(scope="module")
def address(made: tuple[Path, dict[str, Any]]) -> Iterator[str]:
    """Serve the copy from a subfolder, because it must work from any path; yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(made[0].parent))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/copy/"
        server.shutdown()


@pytest.fixture
def copy(chromium: Any, address: str) -> Iterator[Any]:
    yield from watched(chromium, address)


BOARD = "b/basqueglue/1.0"
READ = """() => [...document.querySelectorAll("tbody[data-section]:not([hidden])")].flatMap((body) =>
  [...body.rows].filter((row) => !row.classList.contains("section")).map((row) => [
    body.dataset.section, row.cells[2].querySelector("a").textContent,
    (row.cells[3].querySelector("output") ?? row.cells[3]).textContent, ""]))"""


def rows(page: Any) -> list[list[str]]:
    """Return section, name and overall score of the visible rows."""
    found: list[list[str]] = page.evaluate(READ)
    return found


def shown(row: dict[str, Any], state: str) -> list[str]:
    """Return the same fields of a row from the server's JSON."""
    value = row["overall"]
    by_duels = "agg=rank" in state or "agg=copeland" in state
    text = row["coverage"] if value is None else f"{abs(value):.2f}" if by_duels else f"{100 * value:.1f}".replace("-", "−")
    return [row["section"], row["system"], text, ""]


def settled(page: Any, count: int) -> list[list[str]]:
    page.wait_for_function(f"() => ({READ})().length === {count}")
    return rows(page)


@pytest.mark.parametrize("state", STATES)
def test_state_in_the_address_shows_the_rows_of_the_server(copy: Any, made: tuple[Path, dict[str, Any]], state: str) -> None:
    place, query = (f"{BOARD}/split-dev", state.replace("split=dev&", "")) if "split=dev" in state else (BOARD, state)
    copy.goto(f"{place}/index.html?{query}")
    expected = [shown(row, state) for row in made[1]["said"][state]]
    found = settled(copy, len(expected))
    assert found == near(expected, found)


def near(expected: list[list[str]], found: list[list[str]]) -> list[list[str]]:
    """Return the expected rows, accepting differences in the last digit: a page stores five digits of each score."""
    close = []
    for mine, theirs in zip(expected, found, strict=True):
        part = any("/" in text or " " in text for text in (mine[2], theirs[2]))
        if part:
            covered = theirs[2].replace(" of ", "/").removesuffix(" tasks")
            close.append([*mine[:2], theirs[2] if covered == mine[2] else mine[2], mine[3]])
            continue
        pair = [float(text.replace("−", "-").removesuffix("ʳ")) for text in (mine[2], theirs[2])]
        same = abs(pair[0] - pair[1]) <= (0.011 if "." in mine[2] and len(mine[2].partition(".")[2]) == 2 else 0.11)
        close.append([*mine[:2], theirs[2] if same else mine[2], mine[3]])
    return close


def test_sorting_search_and_task_choice_work_without_a_server(copy: Any, made: tuple[Path, dict[str, Any]]) -> None:
    copy.goto("index.html")
    copy.get_by_role("heading", name="BasqueGLUE").get_by_role("link").click()
    ranks = copy.locator("tbody[data-section=ranked] td.rank").all_inner_texts()
    assert ranks[0].startswith("1")
    everybody = len(rows(copy))
    copy.locator("th[data-key=wic] a.sort").click()
    copy.wait_for_url("**/index.html?only=wic")
    at = copy.locator("th[data-key=wic]").evaluate("(th) => th.cellIndex")
    values = copy.locator("tbody[data-section=ranked] tr").evaluate_all(f"(trs) => trs.map((tr) => Number(tr.cells[{at}].dataset.v))")
    assert values == sorted(values, reverse=True)
    copy.get_by_label("Search").fill("org3")
    assert {row[1] for row in settled(copy, 2)} == {"Org3/model-3-base", "Org3/model-12-base"}
    assert copy.locator("#count").inner_text().startswith("2 of ")
    copy.get_by_label("Search").fill("")
    settled(copy, everybody)
    assert copy.locator("#unranked").is_visible()
    copy.goto(copy.url.partition("?")[0])
    assert not copy.locator("#unranked").is_visible()
    copy.get_by_text("Tasks: ").click()
    boxes = copy.locator("#choices input[name=tasks]")
    for number in range(boxes.count()):
        boxes.nth(number).set_checked(boxes.nth(number).get_attribute("value") == "qnli")
    copy.wait_for_url("**tasks=qnli**")
    assert copy.locator("#unranked").is_visible()
    assert set(copy.locator("tbody[data-section=ranked] td.rank").all_inner_texts()) == {"–"}
    assert copy.locator("thead th[data-metrics]:visible").count() == 1
    assert copy.locator("#counted").inner_text().startswith("Tasks: 1 of ")
    document = json.loads((made[0] / f"{BOARD}.json").read_text())
    only = {row["system"]: f"{100 * row['scores']['qnli']['value']:.1f}" for row in document["rows"]}
    assert {row[1]: row[2].removesuffix("ʳ") for row in rows(copy)} == only
    copy.goto(copy.url.partition("?")[0])
    assert copy.locator("tbody[data-section=ranked] td.rank").all_inner_texts() == ranks


def test_links_preserve_the_language(copy: Any) -> None:
    copy.goto(f"{BOARD}/split-dev/index.html")
    copy.locator(".languages summary").click()
    copy.get_by_role("link", name="Svenska").click()
    assert copy.locator("html").get_attribute("lang") == "sv"
    assert "/sv/b/basqueglue/1.0/split-dev/index.html" in copy.url
    copy.locator("tbody[data-section=ranked] th a").first.click()
    assert "/sv/s/system-" in copy.url
    assert copy.locator("h1").is_visible()


def test_choice_survives_changes_of_intervals_split_and_language(copy: Any) -> None:
    copy.goto(f"{BOARD}/index.html?fam=Encoder&only=wic")
    copy.wait_for_function("() => document.getElementById('intervals').search !== ''")
    chosen = rows(copy)
    assert 0 < len(chosen) < 14
    copy.locator("#intervals").click()
    copy.wait_for_url("**/ci-95/index.html?**")
    assert [row[:2] for row in settled(copy, len(chosen))] == [row[:2] for row in chosen]
    copy.locator(".languages summary").click()
    copy.get_by_role("link", name="Svenska").click()
    copy.wait_for_url("**/sv/b/basqueglue/1.0/ci-95/index.html?**")
    assert [row[:2] for row in settled(copy, len(chosen))] == [row[:2] for row in chosen]
    copy.locator("#intervals").click()
    copy.wait_for_url("**/sv/b/basqueglue/1.0/index.html?**")
    copy.locator("#choices details:has(.splits) summary").click()
    copy.locator(".splits a", has_text="dev").click()
    copy.wait_for_url("**/split-dev/index.html?**")
    assert "fam=Encoder" in copy.url
    assert "only=wic" in copy.url
    assert copy.locator("#choices input[name=fam][value=Encoder]").is_checked()


def test_exported_pair_of_systems_is_compared(copy: Any, made: tuple[Path, dict[str, Any]]) -> None:
    pair = min(place for place in (made[0] / BOARD / "compare").glob("a-*/b-*") if place.is_dir())
    one, other = pair.parent.name.removeprefix("a-"), pair.name.removeprefix("b-")
    copy.goto(f"{BOARD}/compare/index.html")
    copy.locator("select[name=a]").select_option(other)
    copy.locator("select[name=b]").select_option(one)
    copy.get_by_role("button", name="Compare").click()
    copy.wait_for_url(f"**/compare/a-{one}/b-{other}/index.html")
    assert copy.locator("table.duels").is_visible()


def test_pair_missing_in_the_copy_shows_a_message(chromium: Any, address: str) -> None:
    page = chromium.new_page()
    page.goto(f"{address}{BOARD}/compare/index.html")
    page.locator("select[name=a]").select_option("system-0")
    page.locator("select[name=b]").select_option("system-2")
    page.get_by_role("button", name="Compare").click()
    page.locator("#absent").wait_for(state="visible")
    assert page.url.endswith("/compare/index.html")
    page.close()


@pytest.mark.parametrize("scripts", [True, False])
def test_copy_opens_from_disk(chromium: Any, made: tuple[Path, dict[str, Any]], scripts: bool) -> None:
    context = chromium.new_context(java_script_enabled=scripts)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.goto((made[0] / BOARD / "index.html").as_uri())
    assert page.locator("tbody[data-section=ranked] tr").count() > 5
    assert page.locator("header.site").evaluate("(e) => getComputedStyle(e).display") == "flex"
    assert page.get_by_label("Search").is_visible() == scripts
    if scripts:
        page.locator("th[data-key=name] > a.sort").click()
        names = page.locator("tbody[data-section=ranked] th a").all_inner_texts()
        assert names == sorted(names, key=str.lower)
    page.locator("tbody[data-section=ranked] th a").first.click()
    assert page.locator("h1").is_visible()
    assert wrong == []
    context.close()


@pytest.mark.parametrize(("wide", "name", "score"), [(1400, 200, 120), (390, 150, 80)])
def test_columns_of_a_copy_use_the_width_of_missing_checkboxes(chromium: Any, address: str, wide: int, name: int, score: int) -> None:
    for page in watched(chromium, address, viewport={"width": wide, "height": 800}):
        page.goto(BOARD)
        assert page.evaluate("document.documentElement.scrollWidth") <= wide
        cells = [page.locator(f"tbody[data-section=ranked] {cell}").first.bounding_box() for cell in ("th[scope=row]", "td.main")]
        assert cells[0]["width"] >= name
        assert cells[1]["width"] >= score
        assert cells[1]["x"] + cells[1]["width"] <= wide
