"""Rendering of untrusted Markdown as safe HTML: text, lists, tables and https links; no images and no raw HTML."""

import re
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from sys import getsizeof
from threading import Lock
from typing import Any

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

LONGEST = 30_000
"""Maximum number of characters rendered of a card: the slowest text known, a table of empty rows, then takes a second."""
ROOM, OVERHEAD = 16 * 2**20, 300
"""Bytes of rendered cards and sheets that are cached, and the overhead of each."""
TAGS = {"a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "strong"}
TABLES = {"table", "thead", "tbody", "tr", "th", "td", "ul"}
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
"""YAML front matter that model hubs put before a card."""


def render_markdown(text: str, top: int = 3) -> SafeString:
    """Render a card as HTML, cached; its first heading level becomes `top`, below the headings of the page.

    >>> render_markdown("# A *model*\\n<script>alert(1)</script> [here](javascript:alert(1))")
    '<h3>A <em>model</em></h3>\\n<p>&lt;script&gt;alert(1)&lt;/script&gt; [here](javascript:alert(1))</p>\\n'
    """
    return _KEPT.find(text if len(text) <= LONGEST else f"{text[:LONGEST]}\n\n…", top)


class RenderCache:
    """Bounded LRU cache of rendered text; concurrent requests for the same text share one rendering."""

    def __init__(self, room: int = ROOM) -> None:
        self.kept: OrderedDict[bytes, SafeString] = OrderedDict()
        self.room, self.size, self.lock = room, 0, Lock()

    def find(self, text: str, top: int) -> SafeString:
        key = sha256(f"{top} {text}".encode("utf-8", "surrogatepass")).digest()
        with self.lock:
            if key not in self.kept:
                self._keep(key, _render(text, top))
            self.kept.move_to_end(key)
            found = self.kept[key]
            while self.size > self.room:
                self.size -= _cost(self.kept.popitem(last=False)[1])
        return found

    def _keep(self, key: bytes, html: SafeString) -> None:
        self.kept[key] = html
        self.size += _cost(html)


def _cost(html: str) -> int:
    """Return its size in memory in bytes, including the overhead of caching."""
    return getsizeof(html) + OVERHEAD


_KEPT = RenderCache()


def _render(shown: str, top: int) -> SafeString:
    parser = _parser()
    tokens = parser.parse(_FRONT.sub("", shown))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + top - 1)}"
    return mark_safe(clean(parser.renderer.render(tokens, parser.options, {})))  # noqa: S308  cleaned just now


def clean(html: str) -> str:
    """Sanitise HTML of any origin by removing everything that is not allowed."""
    return nh3.clean(
        html,
        tags=TAGS | TABLES,
        attributes={"*": set(), "a": {"href"}},
        url_schemes={"https"},
        url_relative="deny",
        link_rel="nofollow ugc noopener",
    )


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule("image", _described)
    return parser


def _described(renderer: Any, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
    """Replace an image with its description."""
    return escape(tokens[place].content)
