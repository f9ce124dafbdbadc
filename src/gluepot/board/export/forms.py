"""Forms in a copy: choices that have a file are crawled and stay enabled, the others are disabled."""

from collections.abc import Callable, Iterator
from urllib.parse import quote

from selectolax.lexbor import LexborHTMLParser

from gluepot.board.export.links import internal

Names = Callable[[str], tuple[str, ...]]
"""Function that returns the parameters with files of their own at an address."""


def form_links(page: LexborHTMLParser, here: str) -> Iterator[str]:
    """Yield the addresses that a page's forms lead to when one option is chosen.

    >>> form = '<form action="/p"><select name="x"><option value="1 a">one<option>2</select></form>'
    >>> list(form_links(LexborHTMLParser(form), "/"))
    ['/p?x=1%20a', '/p?x=2']
    """
    for form in page.css("form"):
        address = internal(form.attributes.get("action") or "", here)
        for select in form.css("select[name]") if address else ():
            for option in select.css("option"):
                value = option.attributes.get("value", option.text(strip=True))
                yield f"{address}?{select.attributes['name']}={quote(value or '')}"


def prepare_forms(page: LexborHTMLParser, here: str, names: Names, usual: Callable[[str], str]) -> None:
    """Prepare forms for handling by a script: add the names of the parameters that have files, and disable all other fields."""
    for form in page.css("form:not(#choices)"):
        address = internal(form.attributes.get("action") or "", here) or here
        states = names(address)
        if not states:
            continue
        form.attrs["data-states"], form.attrs["data-usual"] = " ".join(states), usual(address)
        for field in form.css("input[name], select[name], button[name]"):
            if field.attributes["name"] not in ("", *states):
                field.attrs["disabled"] = ""
