"""HTML page of a report: content, well-formedness, accessibility, and rendering without network requests."""

import json
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from tests.reporting.made import POCKET, cells

from gluepot.reporting import Report
from gluepot.reporting.html.page import render_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def test_every_task_is_shown_with_value_and_interval(report: Report, tree: ElementTree.Element) -> None:
    (section,) = report.sections
    rows = {row.task: row for row in section.rows if row.primary}
    assert list(rows) == ["overall", *POCKET.tasks]
    shown = {(row[0], row[1]): row for row in cells(tree) if len(row) == 7}
    for row in rows.values():
        cell = row.cells[2]
        assert cell is not None
        figures = f"{100 * cell.value:.1f}{100 * cell.low:.1f} to {100 * cell.high:.1f}"
        assert figures.replace("-", "−") == shown[row.title, row.metric][5]


def test_the_mean_of_seeds_has_its_spread(report: Report, page: str) -> None:
    row = next(row for row in report.sections[0].rows if row.task == "stance-sv")
    assert row.cells[1] is not None
    assert f"± {100 * row.cells[1].spread:.1f}" in page


def test_the_plot_draws_each_system_once_per_task(tree: ElementTree.Element) -> None:
    plots = [svg for svg in tree.iter("svg") if svg.get("class") == "plot"]
    assert len(plots) == 14, "the mean, and thirteen tasks"
    tips = [node.text or "" for plot in plots for node in plot.iter("title")]
    assert sum(tip.startswith("tfidf-logistic: ") for tip in tips) == 14
    assert sum(tip.startswith("tfidf-tree (partial, never ranked): ") for tip in tips) == 14
    assert sum(node.get("class") == "majority" for plot in plots for node in plot.iter("line")) >= 10
    shapes = {path.get("d") for plot in plots for path in plot.iter("path")}
    assert len(shapes) == 3, "systems differ in shape"


def test_untrusted_names_are_escaped(page: str) -> None:
    assert "<script" not in page
    assert "&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;" in page


def test_control_characters_do_not_reach_the_page(report: Report) -> None:
    card = msgspec.structs.replace(report.systems[0], name="a\x00b\x1b\ud800<i>")
    page = render_page(msgspec.structs.replace(report, systems=[card, *report.systems[1:]]))
    ElementTree.fromstring(page.removeprefix("<!doctype html>").encode())
    assert "a\N{REPLACEMENT CHARACTER}b" in page


def texts(tree: ElementTree.Element, tag: str) -> list[str]:
    return ["".join(node.itertext()).strip() for node in tree.iter(tag)]


def test_baselines_and_partial_runs_are_marked(tree: ElementTree.Element) -> None:
    names = {text for text in texts(tree, "span") if text.startswith(("majority", "tfidf-tree"))}
    assert names >= {"majority baseline", "tfidf-tree partial, never ranked"}
    heads = [head for head in texts(tree, "th") if head.startswith("tfidf-tree")]
    assert heads
    assert all("partial, never ranked" in head for head in heads)


def test_cost_shows_seconds_items_and_machine(report: Report, tree: ElementTree.Element) -> None:
    rows = list(cells(tree))
    assert ["tfidf-logistic", "26 jobs", "52.0", "1,040", "20.0"] in rows
    assert ["tfidf-logistic", "stance-sv seed 1", "2.0", "40", "20.0"] in rows
    assert any("python" in row[1] and "numpy" in row[2] for row in rows if len(row) == 3)


def test_the_page_is_self_contained(page: str, tree: ElementTree.Element) -> None:
    for node in tree.iter():
        assert node.tag not in ("script", "iframe", "img", "object")
        for name in ("href", "src", "style"):
            assert (node.get(name) or "#").startswith(("#", "data:"))
    assert "http" not in page.replace("http-equiv", "")
    assert "url(" not in page
    assert "default-src 'none'" in next(node.get("content") or "" for node in tree.iter("meta") if node.get("http-equiv"))
    assert len(page) < 2_000_000


def test_every_picture_is_well_formed_and_has_a_title(tree: ElementTree.Element) -> None:
    pictures = [svg for svg in tree.iter("svg") if svg.get("role") == "img"]
    assert len(pictures) == 22, "the mean, thirteen tasks, and four label tasks of two systems"
    for svg in pictures:
        assert (svg.findtext("title") or "").strip()
        ElementTree.fromstring(ElementTree.tostring(svg))


def test_the_page_is_accessible(tree: ElementTree.Element) -> None:
    assert tree.get("lang") == "en"
    levels = [int(node.tag[1]) for node in tree.iter() if re.fullmatch("h[1-6]", node.tag)]
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    assert all(table.find("caption") is not None for table in tree.iter("table"))
    assert all(head.get("scope") for head in tree.iter("th"))
    names = [node.get("id") for node in tree.iter() if node.get("id")]
    assert len(names) == len(set(names))
    assert {(node.get("href") or "")[1:] for node in tree.iter("a")} <= set(names)


def complaints(page: Path, tmp_path: Path) -> tuple[list[str], list[str]]:
    """Return the console messages and network requests of a browser that opens a page."""
    log = tmp_path / "net.json"
    switches = "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --no-first-run"
    words = [str(CHROMIUM), *switches.split(), "--disable-sync", "--disable-extensions", "--enable-logging=stderr", "--dump-dom"]
    words += [f"--user-data-dir={tmp_path / 'profile'}", f"--log-net-log={log}", page.resolve().as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    assert "<h1" in done.stdout
    events = json.loads(log.read_text(encoding="utf-8", errors="replace"))["events"]
    facts = [event["params"] for event in events if "url" in event.get("params", {})]
    own = "not an origin"  # requests of the browser itself (time, updates) have no page as initiator
    asked = [fact["url"] for fact in facts if fact["url"].startswith(("http", "ws")) and fact.get("initiator", own) != own]
    return [line for line in done.stderr.splitlines() if "CONSOLE" in line], asked


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_browser_shows_no_error_and_makes_no_request(page: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.html", tmp_path / "bad.html"
    good.write_text(page, encoding="utf-8")
    assert complaints(good, tmp_path) == ([], [])
    bad.write_text(page.replace("</h1>", "</h1><script>1</script>"), encoding="utf-8")
    assert complaints(bad, tmp_path)[0], "the same look finds an error where there is one"
    bad.write_text('<h1>?</h1><img src="http://127.0.0.1:9/pixel.png">', encoding="utf-8")
    assert complaints(bad, tmp_path)[1], "and a request"
