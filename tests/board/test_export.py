"""Static export: complete, self-contained, without traces of the machine that made it, and replaced atomically."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from tests.board.exporting import ROOT, shared_copy

from gluepot.errors import WrongUse

LANGUAGES = ("", "sv/", "da/", "ru/", "eu/")


@pytest.fixture(scope="module")
def made() -> tuple[Path, dict[str, Any]]:
    pytest.importorskip("django", reason="needs the board's extra")
    return shared_copy()


class Links(HTMLParser):
    """Collector of all links and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src", "action", "xlink:href") and value:
                self.links.append(value)
            if name == "id" and value:
                self.anchors.add(value)


def pages(copy: Path) -> Iterator[tuple[Path, Links]]:
    for path in copy.rglob("*.html"):
        yield path, Links(path.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_every_link_targets_a_file_of_the_copy_or_an_https_address(made: tuple[Path, dict[str, Any]]) -> None:
    copy, told = made
    assert told["broken"] == {}
    known = {path.resolve() for path in copy.rglob("*") if path.is_file()}
    assert len(known) == told["files"]
    anchors = {path.resolve(): links.anchors for path, links in pages(copy)}
    for path, found in pages(copy):
        for link in found.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                assert parts.scheme == "https", f"{path}: {link}"
                assert parts.hostname not in ("localhost", "127.0.0.1", "testserver"), f"{path}: {link}"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            assert target in known, f"{path}: {link}"
            assert not parts.fragment or parts.fragment in anchors[target], f"{path}: {link}"


@pytest.mark.slow
def test_api_documents_link_to_each_other(made: tuple[Path, dict[str, Any]]) -> None:
    copy, _told = made
    systems = json.loads((copy / "api" / "systems.json").read_text())
    assert systems["count"] == len(systems["items"]) == 15
    for item in systems["items"]:
        assert (copy / "api" / item["address"]).is_file()
        facts = json.loads((copy / "api" / "systems" / f"{item['slug']}.json").read_text())
        scores = copy / "api" / "systems" / facts["scores"]
        total = json.loads(scores.read_text())["count"]
        seen = []
        while scores:
            page = json.loads(scores.read_text())
            seen += page["items"]
            scores = (scores.parent / page["next"]) if page["next"] else None
        assert len(seen) == total
    for suite in json.loads((copy / "api" / "suites.json").read_text()):
        folder = copy / "api" / "suites" / suite["name"]
        assert json.loads((folder / f"{suite['version']}.json").read_text())["tasks"]
        standings = json.loads((folder / suite["version"] / "standings.json").read_text())
        assert standings["rows"] == json.loads((copy / "b" / suite["name"] / f"{suite['version']}.json").read_text())["rows"]


@pytest.mark.slow
def test_every_split_and_file_is_exported_in_every_language(made: tuple[Path, dict[str, Any]]) -> None:
    copy, told = made
    for language in LANGUAGES:
        board = copy / language / "b" / "basqueglue" / told["version"]
        for state in ("", "split-dev", "ci-95", "split-dev/ci-95"):
            text = (board / state / "index.html").read_text()
            assert f'<html lang="{language.strip("/") or "en"}" data-exported=""' in text
            assert ("<small>(" in text) or ("–" in text)
        for page in ("tasks", "compare", "diagnostics", "performance", "frontier"):
            assert (board / page / "index.html").is_file()
        for form in ("md", "tex"):
            assert board.with_name(f"{told['version']}.{form}").is_file()
            assert (board / f"split-dev.{form}").is_file()
    assert (copy / "b" / "basqueglue" / told["version"] / "split-dev.csv").is_file()
    assert len(list((copy / "b" / "basqueglue" / told["version"] / "compare").glob("a-*/b-*/**/index.html"))) == 6  # 3 pairs, 2 splits
    assert len(list((copy / "s" / "sample" / "answers").glob("*.jsonl.gz"))) >= 13


@pytest.mark.slow
def test_copy_reveals_no_local_paths_or_private_fields(made: tuple[Path, dict[str, Any]]) -> None:
    copy, _told = made
    private = re.compile(
        rf"{re.escape(str(copy.parent))}|{re.escape(str(ROOT))}|{re.escape(str(Path.home()))}/|localhost|testserver|file://"
    )
    for path in copy.rglob("*"):
        if path.is_file() and path.suffix != ".gz":
            text = path.read_text(encoding="utf-8")
            assert not private.search(text), f"{path}: {private.search(text)}"
            assert '"replicates"' not in text, path
            assert '"merits"' not in text, path


@pytest.mark.slow
def test_pages_have_a_security_policy_and_load_no_modules(made: tuple[Path, dict[str, Any]]) -> None:
    copy, _told = made
    for path in copy.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert 'http-equiv="Content-Security-Policy" content="default-src \'none\'' in text
        assert 'type="module"' not in text
        assert text.count("copy.js") == 1
    for script in (copy / "static").rglob("*.js"):
        assert not re.search(r"^\s*(import|export)\b", script.read_text(), re.MULTILINE), "a copy loads scripts, not modules"


def export_to(target: Path) -> Any:
    from gluepot.board.export import export

    return export(target, paired=2)


def test_target_with_other_content_is_refused(board: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(WrongUse, match="holds something else"):
        export_to(tmp_path)
    with pytest.raises(WrongUse, match="holds something else"):
        export_to(tmp_path / "thesis.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_copy_is_replaced_atomically(board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gluepot.board import export as exporting

    target = tmp_path / "site"
    target.mkdir()
    first = export_to(target)
    assert first.files == len([path for path in target.rglob("*") if path.is_file()])
    before = {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}

    def fails(*_given: Any) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(exporting, "rewrite", fails)
        with pytest.raises(OSError, match="disk full"):
            export_to(target)
    assert before == {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
    (target / "left.html").touch()
    export_to(target)
    assert not (target / "left.html").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_broken_links_keep_their_text_and_plain_text_is_unchanged() -> None:
    from selectolax.lexbor import LexborHTMLParser

    from gluepot.board.export.links import rewrite_links

    page = LexborHTMLParser(
        """<a class="x" href="/gone?a=1&amp;b=2">text</a> <a href='/here'>h</a> <code>href="/here"</code> <!-- <a href="/here"> -->"""
        """<a title="a > b" href=/here>t</a> <a href="https://e.org/">e</a> <script>"<a href='/here'>"</script>"""
    )
    rewrite_links(page, "/", {"/gone?a=1&b=2": None, "/here": "here/index.html?x&y"}.get)
    assert page.body is not None
    assert page.body.inner_html == (
        """<a class="x">text</a> <a href="here/index.html?x&amp;y">h</a> <code>href="/here"</code> <!-- <a href="/here"> -->"""
        """<a title="a &gt; b" href="here/index.html?x&amp;y">t</a> <a href="https://e.org/">e</a> <script>"<a href='/here'>"</script>"""
    )


def test_form_fields_without_exported_files_are_disabled() -> None:
    from selectolax.lexbor import LexborHTMLParser

    from gluepot.board.export.forms import prepare_forms

    fields = "<form action='/p'><select name=split><option>a</select><input name=q><input type=submit></form>"
    page = LexborHTMLParser(f'{fields}<form id="choices" action="/p"><input name=q></form>')
    prepare_forms(page, "/", lambda link: ("split",) if link == "/p" else (), lambda link: "dev")
    assert [form.attributes.get("data-states") for form in page.css("form")] == ["split", None]
    assert [node.attributes["name"] for node in page.css("[disabled]")] == ["q"]
    assert page.css_first("form").attributes["data-usual"] == "dev"
