"""Markdown that strangers wrote, as HTML that a page may carry: text, lists, tables and https links; no images, no HTML of their own."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

LONGEST = 30_000
"""Characters of a card that are shown: the slowest text known, a table of empty rows, takes a second then."""
TAGS = {"a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "strong"}
TABLES = {"table", "thead", "tbody", "tr", "th", "td", "ul"}
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
"""The YAML that model hubs put before a card."""


def render_markdown(text: str, top: int = 3) -> SafeString:
    """A card as HTML; its first level of headings becomes `top`, below those of the page.

    >>> render_markdown("# A *model*\\n<script>alert(1)</script> [here](javascript:alert(1))")
    '<h3>A <em>model</em></h3>\\n<p>&lt;script&gt;alert(1)&lt;/script&gt; [here](javascript:alert(1))</p>\\n'
    """
    parser = _parser()
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}\n\n…"
    tokens = parser.parse(_FRONT.sub("", shown))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + top - 1)}"
    return mark_safe(clean(parser.renderer.render(tokens, parser.options, {})))


def clean(html: str) -> str:
    """HTML with what is not allowed taken out, whoever made it."""
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
    """An image is its description."""
    return escape(tokens[place].content)
