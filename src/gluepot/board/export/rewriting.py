"""Makes pages of a site into files of a copy: relative links, scripts that need no server, the same rules for scripts and styles."""

from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from django.utils.html import escape

from gluepot.board.export.crawling import Crawl, CrawledFile
from gluepot.board.export.forms import settle_forms
from gluepot.board.export.links import rewrite_html, rewrite_json
from gluepot.board.export.naming import Address, relative, states_of
from gluepot.board.export.plan import board_of
from gluepot.board.server.security import POLICY

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
        text = settle_forms(path.read_text(encoding="utf-8"), kept.url, lambda link: states_of(urlsplit(link).path), usual)
        path.write_text(as_copy(rewrite_html(text, kept.url, become), relative(SCRIPT, name)), encoding="utf-8")
    elif kept.kind == "application/json":
        path.write_bytes(msgspec.json.encode(rewrite_json(msgspec.json.decode(path.read_bytes()), become)))


def as_copy(text: str, script: str) -> str:
    """The page marked as a copy. Its scripts are no modules, which a browser does not read from a disk."""
    rules = f'<meta http-equiv="Content-Security-Policy" content="{escape(RULES)}">'
    text = text.replace("<html ", "<html data-exported ", 1)
    text = text.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{rules}\n<script defer src="{script}"></script>', 1)
    return text.replace('<script type="module" ', "<script defer ")


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
