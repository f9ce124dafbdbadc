"""Makes pages of a site into files of a copy: relative links, scripts that need no server, the same rules for scripts and styles."""

from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from gluepot.board.export.crawling import Crawl, CrawledFile
from gluepot.board.export.forms import settle_forms
from gluepot.board.export.links import rewrite_json, rewrite_links
from gluepot.board.export.naming import Address, relative, states_of
from gluepot.board.export.plan import board_of
from gluepot.board.server.middleware.private import room_of
from gluepot.board.server.middleware.security import POLICY

SCRIPT = "static/board/copy.js"
RULES = POLICY.replace("; frame-ancestors 'none'", "")
"""What a page may load; the last rule counts only in a header."""


def rewrite(folder: Path, name: str, kept: CrawledFile, crawl: Crawl) -> None:
    """Make one file independent of the site."""
    path = folder / name

    def become(link: str) -> str | None:
        return way(link, name, crawl)

    def usual(link: str) -> str:
        return crawl.plan.usual.get(board_of(crawl.plan.read(link)[0]), "")

    if kept.kind == "text/html":
        page = LexborHTMLParser(path.read_bytes())
        settle_forms(page, kept.url, lambda link: states_of(urlsplit(link).path), usual)
        leave_private_out(page)
        rewrite_links(page, kept.url, become)
        mark_as_copy(page, relative(SCRIPT, name))
        path.write_text(f"{page.html}\n", encoding="utf-8")
    elif kept.kind == "application/json":
        path.write_bytes(msgspec.json.encode(rewrite_json(msgspec.json.decode(path.read_bytes()), become)))


def leave_private_out(page: LexborHTMLParser) -> None:
    """Nobody signs in or submits without a server."""
    for node in page.css("nav.account, span.account"):
        node.decompose()
    for node in page.css("a[href]"):
        if room_of(node.attributes.get("href") or "") is not None:
            node.decompose()


def mark_as_copy(page: LexborHTMLParser, script: str) -> None:
    """Marks the page as a copy. Its scripts are no modules, which a browser does not read from a disk."""
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
    """A link of the site as a way between two files; nothing where it leads nowhere.

    A state that the copy does not have leads to its page: with the query, where the browser can make it from there.
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
