"""Text that strangers wrote, made harmless for where it is shown: a terminal, a Markdown file, a spreadsheet."""

import re

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal obeys instead of showing (escape, bell, carriage return …), what turns text around, halves of characters."""
FORMULAS = "=+-@＝＋－＠"
"""First characters that make a spreadsheet run a cell; some spreadsheets take the wide ones too."""
_BEGINNING = re.compile(rf"(?<![\s\",;])[\s\",;]*+(?=[{re.escape(FORMULAS)}])")
"""What stands before such a character. It is looked at once, from its first character on: the time is proportional to the text."""
_SEPARATORS = re.compile(r"[,;\t\r\n]")
_MARKS = re.compile(r"([\\`*_{}\[\]<>|#~&$])")
_LIVE = re.compile(r"://|www\.|@|mailto:|xmpp:", re.IGNORECASE)
"""What Markdown's dialects make a link of by themselves."""


def visible(text: str) -> str:
    """Text that a terminal shows and does not obey; lines and tabs stay.

    >>> visible("a\\x1b[2J\\tb")
    'a\\\\x1b[2J\\tb'
    """
    return UNSEEN.sub(lambda found: escaped(found[0]), text)


def escaped(letter: str) -> str:
    r"""
    >>> escaped("\x1b"), escaped("\u202e")
    ('\\x1b', '\\u202e')
    """
    return f"\\x{ord(letter):02x}" if ord(letter) < 256 else f"\\u{ord(letter):04x}"


def markdown(text: str) -> str:
    """Text on one line that Markdown shows as it is: no marks, no images, and no links, of which addresses alone would become some.

    >>> markdown("a|b_c"), markdown("![x](https://a.example/p.png)")
    ('a\\\\|b\\\\_c', '`![x](https://a.example/p.png)`')
    """
    return " ".join(_code(word) if _LIVE.search(word) else _MARKS.sub(r"\\\1", word) for word in visible(text).split())


def _code(word: str) -> str:
    """In code nothing is live; a bar would end the cell of a table even there, escaped or not."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", word)), default=0))
    pad = " " if "`" in (word[0], word[-1]) else ""
    return f"{fence}{pad}{word.replace('|', '¦')}{pad}{fence}"


def spreadsheet(text: str) -> str:
    """Text that no spreadsheet runs, be it the whole of a cell or cut at whatever a country takes for a separator.

    >>> spreadsheet("=1+1"), spreadsheet("KB/bert"), spreadsheet("a;=1+1")
    ("'=1+1", 'KB/bert', "a;'=1+1")
    """
    inner = _BEGINNING.sub(lambda before: before[0] + "'" * (not before.start() or bool(_SEPARATORS.search(before[0]))), text)
    return f"'{inner}" if text.startswith(("\t", "\r", "\n")) else inner


_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {"−": "$-$", "–": "--", "ʳ": r"\textsuperscript{r}", "ʰ": r"\textsuperscript{h}", "…": r"\dots{}", "≤": r"$\leq$", "\n": " "}
_LATEX |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
"""Beside what LaTeX obeys: what its oldest fonts do not have, or print as something else."""


def latex(text: str) -> str:
    """Text that LaTeX prints as it is.

    >>> latex("50 % of A_b, −3")
    '50 \\\\% of A\\\\_b, $-$3'
    """
    return "".join(_LATEX.get(character, character) for character in text)
