"""Fixtures of a real Chromium and a real server."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.board.serving import import_into, served
from tests.browser.visitors import axe, board_folder, letters, moderator, open_site, own_suite

__all__ = ["axe", "board_folder", "letters", "moderator", "open_site", "own_suite"]

SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start the browser; each test opens its own pages."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Serve a board with the published results of all suites and the sample predictions of pocket; yield its address."""
    pytest.importorskip("django", reason="needs the extra 'board'")
    import gluepot

    with TemporaryDirectory(prefix="gluepot-site-", ignore_cleanup_errors=True) as folder:
        import_into(Path(folder), str(Path(gluepot.__file__).parent / "suites" / "pocket" / "sample"), "--published")
        with served(Path(folder)) as address:
            yield address


@pytest.fixture
def page(chromium: Any, site: str) -> Iterator[Any]:
    """Yield a wide page of the site; console errors and warnings, exceptions and external requests fail the test."""
    yield from watched(chromium, site)


@pytest.fixture
def narrow(chromium: Any, site: str) -> Iterator[Any]:
    """Yield such a page with the viewport of a phone."""
    yield from watched(chromium, site, viewport={"width": 390, "height": 800})


@pytest.fixture
def plain(chromium: Any, site: str) -> Iterator[Any]:
    """Yield such a page without JavaScript."""
    yield from watched(chromium, site, java_script_enabled=False)


def watched(chromium: Any, site: str, **settings: Any) -> Iterator[Any]:
    context = chromium.new_context(base_url=site, **{"viewport": {"width": 1400, "height": 1000}, **settings})
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: wrong.append(request.url) if not request.url.startswith(site) else None)
    yield page
    context.close()
    assert wrong == []
