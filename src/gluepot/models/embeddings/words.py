"""Words of running text: runs of letters and digits with the marks upon them, such as vowels in Devanagari; composed where Unicode can.

A pattern's `\\w` has no marks, and would cut such words at each of them.
"""

import re
import sys
from functools import cache
from unicodedata import category, normalize

LETTER = r"[^\W_]"
"""A letter or digit, as a pattern has it."""


def find_words(text: str, letter: str = LETTER) -> list[str]:
    """The words of a text, compounds with hyphens or apostrophes in one piece.

    >>> find_words("e-post på 90-talet!"), find_words("pa\\u030a हिन्दी")
    (['e-post', 'på', '90-talet'], ['på', 'हिन्दी'])
    """
    composed = normalize("NFC", text)
    plain = composed.isascii() or _marks().isdisjoint(composed)
    return _pattern(letter, marked=not plain).findall(composed)


@cache
def _pattern(letter: str, *, marked: bool) -> re.Pattern[str]:
    word = f"{letter}(?:{letter}|[{''.join(sorted(_marks()))}])*" if marked else f"{letter}+"
    return re.compile(f"{word}(?:[-'’]{word})*")


@cache
def _marks() -> frozenset[str]:
    return frozenset(filter(lambda one: category(one).startswith("M"), map(chr, range(sys.maxunicode + 1))))
