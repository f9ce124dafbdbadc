"""Conversion of site pages into files of a copy: relative links, scripts that need no server, the same content security policy."""

from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from gluepot.board.export.crawling import Crawl, CrawledFile
from gluepot.board.export.forms import prepare_forms
from gluepot.board.export.links import rewrite_json, rewrite_links
from gluepot.board.export.naming import Address, relative, states_of
from gluepot.board.export.plan import board_of
from gluepot.board.server.middleware.private import private_area
from gluepot.board.server.middleware.security import POLICY

SCRIPT = "static/board/copy.js"
RULES = POLICY.replace("; frame-ancestors 'none'", "")
"""Content security policy of a page; the removed last rule is only valid in a header."""


def rewrite(folder: Path, name: str, kept: CrawledFile, crawl: Crawl) -> None:
    """Make one file independent of the site."""
    path = folder / name

    def become(link: str) -> str | None:
        return way(link, name, crawl)

    def usual(link: str) -> str:
        return crawl.plan.usual.get(board_of(crawl.plan.read(link)[0]), "")

    if kept.kind == "text/html":
        page = LexborHTMLParser(path.read_bytes())
        prepare_forms(page, kept.url, lambda link: states_of(urlsplit(link).path), usual)
        remove_private_links(page)
        rewrite_links(page, kept.url, become)
        mark_as_copy(page, relative(SCRIPT, name))
        path.write_text(f"{page.html}\n", encoding="utf-8")
    elif kept.kind == "application/json":
        path.write_bytes(msgspec.json.encode(rewrite_json(msgspec.json.decode(path.read_bytes()), become)))


def remove_private_links(page: LexborHTMLParser) -> None:
    """Remove the links to signing in and submitting, which need a server."""
    for node in page.css("nav.account, span.account"):
        node.decompose()
    for node in page.css("a[href]"):
        if private_area(node.attributes.get("href") or "") is not None:
            node.decompose()


def mark_as_copy(page: LexborHTMLParser, script: str) -> None:
    """Mark the page as a copy, and load its scripts as non-modules, because browsers do not load modules from disk."""
    for module in page.css("script[type=module]"):
        del module.attrs["type"]
        module.attrs["defer"] = ""
    for page_root in page.css("html"):
        page_root.attrs["data-exported"] = ""
    for charset in page.css("meta[charset]"):
        charset.insert_after(_element(page, "script", defer="", src=script))
        charset.insert_after(_element(page, "meta", **{"http-equiv": "Content-Security-Policy", "content": RULES}))


def _element(page: LexborHTMLParser, tag: str, **given: str) -> LexborNode:
    node = page.create_node(tag)
    for name, value in given.items():
        node.attrs[name] = value
    return node


def way(link: str, here: str, crawl: Crawl) -> str | None:
    """Return a link of the site as a relative path between two files; None where it leads nowhere.

    A state that the copy does not include links to its page, with the query where the browser can render the state itself.
    """
    if link.startswith("/static/"):
        return relative(link.lstrip("/"), here)
    address, rest, fragment = crawl.plan.read(link)
    name = crawl.file(address)
    if name is None:
        address, rest = Address(address.path), urlsplit(link).query
        name = crawl.file(address)
    if name is None or (rest and name == here and not address.alive):
        return None
    query = f"?{rest}" if rest and address.alive else ""
    return relative(name, here) + query + (f"#{fragment}" if fragment else "")
