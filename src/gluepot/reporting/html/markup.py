"""HTML and SVG as strings with automatic escaping: plain text is escaped wherever it is inserted."""

import re
from collections.abc import Iterable, Sequence
from html import escape

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Characters that XML or UTF-8 files cannot contain, that control a terminal, or that reverse the direction of text."""


class Html(str):
    """Text that is already markup."""


def esc(value: object) -> Html:
    """Return any value as markup: escaped, unless it is already markup.

    >>> esc("<b>"), esc(Html("<b>"))
    ('&lt;b&gt;', '<b>')
    """
    return value if isinstance(value, Html) else Html(escape(_CONTROLS.sub("\N{REPLACEMENT CHARACTER}", str(value))))


def el(tag: str, *children: object, **attributes: object) -> Html:
    """Return an element; `class_` and `aria_label` become `class` and `aria-label`, None omits an attribute.

    >>> el("a", "R&D", href="#x", class_=None)
    '<a href="#x">R&amp;D</a>'
    >>> el("line", x1=0)
    '<line x1="0"/>'
    """
    named = "".join(f' {name.strip("_").replace("_", "-")}="{esc(value)}"' for name, value in attributes.items() if value is not None)
    inside = join(children)
    return Html(f"<{tag}{named}>{inside}</{tag}>" if inside or tag not in _EMPTY else f"<{tag}{named}/>")


_EMPTY = {"br", "wbr", "meta", "link", "col", "line", "path", "circle", "rect", "polyline"}


def join(children: Iterable[object], between: str = "") -> Html:
    return Html(between.join(esc(child) for child in children if child is not None))


def number(value: float | None, digits: int = 3) -> str:
    """Format a number with a typographic minus; a missing one is a dash.

    >>> number(-0.3323), number(None)
    ('−0.332', '–')
    """
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return f"{0:.{digits}f}" if float(text) == 0 else text.replace("-", "−")


def score(value: float | None) -> str:
    """Format a score times 100, as the board does.

    >>> score(0.5344), score(-0.031), score(None)
    ('53.4', '−3.1', '–')
    """
    return number(None if value is None else 100 * value, 1)


def span(low: float | None, high: float | None) -> str:
    """Format the interval of a score, times 100.

    >>> span(-0.1, 0.25)
    '−10.0 to 25.0'
    """
    return "" if low is None or high is None else f"{score(low)} to {score(high)}"


def anchor(*words: object) -> str:
    """Return a name for an id: letters, digits and hyphens.

    >>> anchor("Faroe GLUE", "1.1")
    'faroe-glue-1-1'
    """
    return "-".join(re.findall(r"[a-z0-9]+", " ".join(map(str, words)).lower())) or "part"


def table(caption: object, head: Sequence[object], rows: Iterable[Sequence[object]], class_: str | None = None) -> Html:
    """Return a table in a scrollable box; the first cell of a row is its header. A cell may be a whole `td` or `th`."""
    top = el("tr", *(_cell("th", name, "col") for name in head))
    body = [el("tr", _cell("th", first, "row"), *(_cell("td", cell) for cell in rest)) for first, *rest in rows]
    inner = el("table", el("caption", el("span", caption)), el("thead", top), el("tbody", *body), class_=class_)
    return scroll(inner, caption)


def scroll(content: Html, name: object) -> Html:
    """Return a box that scrolls horizontally, also by keyboard."""
    label = re.sub(r"<[^>]*>", "", name) if isinstance(name, Html) else name
    return el("div", content, class_="scroll", role="group", aria_label=Html(label) if isinstance(name, Html) else label, tabindex="0")


def _cell(tag: str, content: object, scope: str | None = None) -> Html:
    if isinstance(content, Html) and content.startswith(("<td", "<th")):
        return content
    return el(tag, content, scope=scope)


def details(summary: object, *content: object, place: str | None = None) -> Html:
    """Return content that is unfolded on demand."""
    return el("details", el("summary", summary), *content, id=place)
