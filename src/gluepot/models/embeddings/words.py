"""Word tokenization of running text: letters and digits with combining marks, such as vowels in Devanagari, in NFC.

A pattern's `\\w` does not match marks, and would split such words at each of them.
"""

import re
import sys
from functools import cache
from unicodedata import category, normalize

LETTER = r"[^\W_]"
"""Pattern of a letter or digit."""


def find_words(text: str, letter: str = LETTER) -> list[str]:
    """Return the words of a text, with hyphenated compounds and words with apostrophes in one piece.

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
