"""Links in pages and documents: found, and rewritten so that they work from any folder."""

import re
from collections.abc import Callable, Iterator
from html import escape, unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

TAG = re.compile(r"<(?:a|link|script|img|form|image|use|source)\b(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.IGNORECASE)
LINK = re.compile(r"""\s((?:xlink:)?href|src|action)=(?:"([^"]*)"|'([^']*)')""")
FIELDS = ("address", "next", "scores", "file")
"""Fields of a JSON document that hold addresses."""


def internal(link: str, here: str) -> str | None:
    """A link's address on this site; None for other sites, mail, and places on the same page.

    >>> internal("?sort=name", "/b/faroe/1.0"), internal("https://example.org/", "/"), internal("#main", "/")
    ('/b/faroe/1.0?sort=name', None, None)
    """
    if not link or link.startswith("#"):
        return None
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    return None if parts.scheme or parts.netloc else urljoin(here, link)


def html_links(text: str, here: str) -> Iterator[str]:
    """All addresses of this site that a page points to; those of forms too, as they are before anything is chosen."""
    for tag in TAG.finditer(text):
        for match in LINK.finditer(tag[0]):
            address = internal(_given(match), here)
            if address is not None:
                yield address


def rewrite_html(text: str, here: str, become: Callable[[str], str | None]) -> str:
    """The page with every internal link replaced; a link to nowhere is taken off, its text stays."""

    def link(match: re.Match[str]) -> str:
        address = internal(_given(match), here)
        if address is None:
            return match[0]
        fresh = become(address)
        return "" if fresh is None else f' {match[1]}="{escape(fresh)}"'

    return TAG.sub(lambda tag: LINK.sub(link, tag[0]), text)


def _given(match: re.Match[str]) -> str:
    return unescape(match[2] if match[2] is not None else match[3])


def json_links(document: Any) -> Iterator[str]:
    """All addresses of this site in a JSON document."""
    if isinstance(document, dict):
        for name, value in document.items():
            if _addressed(name, value):
                yield value
            else:
                yield from json_links(value)
    elif isinstance(document, list):
        for value in document:
            yield from json_links(value)


def rewrite_json(document: Any, become: Callable[[str], str | None]) -> Any:
    """The document with every address replaced; null where it leads nowhere."""
    if isinstance(document, dict):
        return {name: become(value) if _addressed(name, value) else rewrite_json(value, become) for name, value in document.items()}
    return [rewrite_json(value, become) for value in document] if isinstance(document, list) else document


def _addressed(name: str, value: Any) -> bool:
    return name in FIELDS and isinstance(value, str) and value.startswith("/")
