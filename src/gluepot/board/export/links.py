"""Links in pages and documents: extraction, and rewriting so that they work from any folder."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

LINKS = ("href", "src", "action")
LINKED = ", ".join(f"[{name}]" for name in LINKS)
FIELDS = ("address", "next", "scores", "file")
"""Fields of a JSON document that hold addresses."""


def internal(link: str, here: str) -> str | None:
    """Return a link's address on this site; None for other sites, mail, and anchors on the same page.

    >>> internal("?sort=name", "/b/faroe/1.0"), internal("https://example.org/", "/"), internal("#main", "/")
    ('/b/faroe/1.0?sort=name', None, None)
    """
    if not link or link.startswith("#"):
        return None
    if _settled(link):
        return link
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    return None if parts.scheme or parts.netloc else urljoin(here, link)


def _settled(link: str) -> bool:
    """Return whether joining a link with any base leaves it unchanged: that is the common case, and joining is slow.

    >>> [_settled(link) for link in ("/b/faroe/1.0?sort=name", "//example.org/", "/b/../s", "/b?", "?a=b")]
    [True, False, False, False, False]
    """
    return link[0] == "/" and link[-1] not in "?#" and link.isprintable() and not any(part in link for part in ("//", "/.", "?#"))


def html_links(page: LexborHTMLParser, here: str) -> Iterator[str]:
    """Yield all addresses of this site that a page links to, including the actions of its forms."""
    return (address for _node, _name, address in _internal_links(page, here))


def rewrite_links(page: LexborHTMLParser, here: str, become: Callable[[str], str | None]) -> None:
    """Replace every internal link; broken links are removed, their text stays."""
    for node, name, address in list(_internal_links(page, here)):
        fresh = become(address)
        if fresh is None:
            del node.attrs[name]
        else:
            node.attrs[name] = fresh


def _internal_links(page: LexborHTMLParser, here: str) -> Iterator[tuple[LexborNode, str, str]]:
    """Yield each element that links to this site, with the attribute and the address."""
    for node in page.css(LINKED):
        given = node.attributes
        for name in LINKS:
            address = internal(given.get(name) or "", here)
            if address is not None:
                yield node, name, address


def json_links(document: Any) -> Iterator[str]:
    """Yield all addresses of this site in a JSON document."""
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
    """Return the document with every address replaced; null for broken ones."""
    if isinstance(document, dict):
        return {name: become(value) if _addressed(name, value) else rewrite_json(value, become) for name, value in document.items()}
    return [rewrite_json(value, become) for value in document] if isinstance(document, list) else document


def _addressed(name: str, value: Any) -> bool:
    return name in FIELDS and isinstance(value, str) and value.startswith("/")
