"""Forms in a copy: their choices that are files are found and stay, the others are greyed."""

import re
from collections.abc import Callable, Iterator
from html import escape, unescape
from urllib.parse import quote

from gluepot.board.export.links import internal

INSIDE = r"(?:[^<>\"']|\"[^\"]*\"|'[^']*')*"
FORM = re.compile(rf"(<form\b{INSIDE})>(.*?)</form>", re.DOTALL)
SELECT = re.compile(rf'<select\b{INSIDE}\bname="([^"]+)"{INSIDE}>(.*?)</select>', re.DOTALL)
OPTION = re.compile(rf"<option\b({INSIDE})>([^<]*)")
FIELD = re.compile(rf"<(?:input|select|button)\b{INSIDE}>")
Names = Callable[[str], tuple[str, ...]]
"""The parameters that make a file of their own at an address."""


def form_links(text: str, here: str) -> Iterator[str]:
    """The addresses that a page's forms lead to when one thing is chosen.

    >>> list(form_links('<form action="/p"><select name="x"><option value="1 a">one<option>2</select></form>', "/"))
    ['/p?x=1%20a', '/p?x=2']
    """
    for form in FORM.finditer(text):
        address = internal(_attribute("action", form[1]), here)
        for select in SELECT.finditer(form[2]) if address else ():
            for option in OPTION.finditer(select[2]):
                value = _attribute("value", option[1]) if " value=" in option[1] else unescape(option[2]).strip()
                yield f"{address}?{select[1]}={quote(value)}"


def settle_forms(text: str, here: str, names: Names, usual: Callable[[str], str]) -> str:
    """Forms that a script can answer: with the names of what makes a file, and nothing else to choose."""

    def settle(match: re.Match[str]) -> str:
        address = internal(_attribute("action", match[1]), here) or here
        states = names(address)
        if not states or 'id="choices"' in match[1]:
            return match[0]
        start = f'{match[1]} data-states="{" ".join(states)}" data-usual="{escape(usual(address))}">'
        return f"{start}{FIELD.sub(lambda field: _greyed(field[0], states), match[2])}</form>"

    return FORM.sub(settle, text)


def _greyed(field: str, states: tuple[str, ...]) -> str:
    name = _attribute("name", field)
    return field[:-1] + " disabled>" if name and name not in states else field


def _attribute(name: str, tag: str) -> str:
    found = re.search(rf'\s{name}="([^"]*)"', tag)
    return unescape(found[1]) if found else ""
