"""Rendering and sanitising of untrusted Markdown."""

import re
from html.parser import HTMLParser
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("nh3", reason="needs the board's extra")

from gluepot.board.drawing.markup import LONGEST, TABLES, TAGS, render_markdown

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe src='https://evil.example'></iframe>",
    "<style>body{display:none}</style>",
    "<a href='javascript:alert(1)'>x</a>",
    "<p style='position:fixed'>x</p>",
    "<form action='https://evil.example'><input name=password></form>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt&colon;alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    "[x](//evil.example)",
    "[x](/logout)",
    "[x](http://evil.example)",
    "[x](https://a.example 'a\" onmouseover=\"alert(1)')",
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    "![x](https://evil.example/pixel.png)",
    '![" onerror="alert(1)](https://evil.example/p.png)',
    '![<img src=x onerror=alert(1)>][r]\n\n[r]: https://evil.example "<b>"',
    '```html" onclick="alert(1)\n</code></pre><script>alert(1)</script>\n```',
    "|<script>|\n|:-:|\n|`</td><script>`|",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62;",
    "<!-- --><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "---\nname: <script>alert(1)</script>\n---\n# Card",
    "\0<scr\0ipt>alert(1)</scr\0ipt>",
]


class Seen(HTMLParser):
    """Collector of all tags and attributes of an HTML text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs


def assert_harmless(text: str) -> None:
    seen = Seen(render_markdown(text))
    assert seen.tags <= TAGS | TABLES
    for name, value in seen.attributes:
        assert name in ("href", "rel")
        assert value is not None
        assert value == "nofollow ugc noopener" if name == "rel" else value.startswith("https://")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_card_is_harmless(text: str) -> None:
    assert_harmless(text)


@given(
    st.lists(st.sampled_from([*HOSTILE, "<", ">", '"', "'", "`", "[", "](", ")", "!", "\n", "|", "&", "=", "*", "https://"]), max_size=12)
)
def test_a_mixture_of_hostile_cards_is_harmless(parts: list[str]) -> None:
    assert_harmless("".join(parts))


def test_a_card_keeps_its_text_lists_tables_and_https_links() -> None:
    html = render_markdown("# Model\n\n- *one*\n- **two**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[paper](https://example.org/p?a=1&b=2)")
    for part in ("<h3>Model</h3>", "<em>one</em>", "<strong>two</strong>", "<td>2</td>", 'href="https://example.org/p?a=1&amp;b=2"'):
        assert part in html


def test_heading_levels_start_below_those_of_the_page() -> None:
    assert re.findall(r"<h\d>", render_markdown("# a\n## b\n##### c")) == ["<h3>", "<h4>", "<h6>"]


def test_images_become_alt_text_and_front_matter_is_dropped() -> None:
    assert render_markdown("---\nlicense: mit\n---\n![A curve](https://example.org/c.png)") == "<p>A curve</p>\n"


@pytest.mark.parametrize(
    "text", ["![" * 30_000, "[a](" * 20_000, "|a|b|\n|-|-|\n" + "|\n" * 30_000, "> " * 40_000, "*a_ " * 20_000, "`" * 60_000]
)
def test_long_card_is_truncated_and_renders_quickly(text: str) -> None:
    started = process_time()
    assert len(render_markdown(text)) < 50 * LONGEST
    assert process_time() - started < 5


def test_concurrent_requests_render_a_long_card_once(monkeypatch):
    from concurrent.futures import ThreadPoolExecutor

    from gluepot.board.drawing import markup

    rendered = []
    monkeypatch.setattr(markup, "_KEPT", markup.RenderCache())
    monkeypatch.setattr(markup, "_render", lambda text, top, render=markup._render: rendered.append(top) or render(text, top))
    card = "| a |\n| - |\n" + "||\n" * LONGEST
    with ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(lambda _: render_markdown(card), range(8)))
    assert len(set(pages)) == 1
    assert rendered == [3]
    assert render_markdown(card, 4) == pages[0]
    assert rendered == [3, 4], "headings stand one lower there"


def test_render_cache_stays_within_its_size_limit():
    from gluepot.board.drawing.markup import RenderCache

    kept = RenderCache(room=50_000)
    for number in range(300):
        assert str(number) in kept.find(f"{number} " * 50, 3)
    assert 0 < kept.size <= 50_000
    assert len(kept.kept) < 300
    assert "A" * 60_000 in kept.find("A" * 60_000, 3), "what is larger than all of it is shown all the same"
    assert kept.size <= 50_000
