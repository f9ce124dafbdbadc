"""Escaping of untrusted text for terminals, Markdown, spreadsheets and LaTeX."""

import re

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Terminal control characters (escape, bell, carriage return …), bidirectional controls and lone surrogates."""
FORMULAS = "=+-@＝＋－＠"
"""Leading characters that make a spreadsheet evaluate a cell as a formula; some accept the full-width forms too."""
_BEGINNING = re.compile(rf"(?<![\s\",;])[\s\",;]*+(?=[{re.escape(FORMULAS)}])")
"""Separators and whitespace before such a character. Each run is matched once, from its start, so the time is linear in the text."""
_SEPARATORS = re.compile(r"[,;\t\r\n]")
_MARKS = re.compile(r"([\\`*_{}\[\]<>|#~&$])")
_LIVE = re.compile(r"://|www\.|@|mailto:|xmpp:", re.IGNORECASE)
"""Patterns that Markdown dialects autolink."""


def escape_control_characters(text: str) -> str:
    """Escape terminal control characters; newlines and tabs are left unchanged.

    >>> escape_control_characters("a\\x1b[2J\\tb")
    'a\\\\x1b[2J\\tb'
    """
    return UNSEEN.sub(lambda found: escape_sequence(found[0]), text)


def escape_sequence(letter: str) -> str:
    r"""Return the escape sequence of a character.

    >>> escape_sequence("\x1b"), escape_sequence("\u202e")
    ('\\x1b', '\\u202e')
    """
    return f"\\x{ord(letter):02x}" if ord(letter) < 256 else f"\\u{ord(letter):04x}"


def escape_markdown(text: str) -> str:
    """Escape text for Markdown on one line: no markup, images or links; words that would be autolinked become code spans.

    >>> escape_markdown("a|b_c"), escape_markdown("![x](https://a.example/p.png)")
    ('a\\\\|b\\\\_c', '`![x](https://a.example/p.png)`')
    """
    return " ".join(_code(word) if _LIVE.search(word) else _MARKS.sub(r"\\\1", word) for word in escape_control_characters(text).split())


def _code(word: str) -> str:
    """Return the word as a code span, in which nothing is interpreted; `|` is replaced, as it ends a table cell even there."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", word)), default=0))
    pad = " " if "`" in (word[0], word[-1]) else ""
    return f"{fence}{pad}{word.replace('|', '¦')}{pad}{fence}"


def escape_spreadsheet(text: str) -> str:
    """Escape text so that no spreadsheet evaluates it, as a whole cell or split at any locale's separator.

    >>> escape_spreadsheet("=1+1"), escape_spreadsheet("KB/bert"), escape_spreadsheet("a;=1+1")
    ("'=1+1", 'KB/bert', "a;'=1+1")
    """
    inner = _BEGINNING.sub(lambda before: before[0] + "'" * (not before.start() or bool(_SEPARATORS.search(before[0]))), text)
    return f"'{inner}" if text.startswith(("\t", "\r", "\n")) else inner


_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {"−": "$-$", "–": "--", "ʳ": r"\textsuperscript{r}", "ʰ": r"\textsuperscript{h}", "…": r"\dots{}", "≤": r"$\leq$", "\n": " "}
_LATEX |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
"""Besides LaTeX's special characters, those that its oldest fonts lack or print as something else."""


def escape_latex(text: str) -> str:
    """Escape text for LaTeX.

    >>> escape_latex("50 % of A_b, −3")
    '50 \\\\% of A\\\\_b, $-$3'
    """
    return "".join(_LATEX.get(character, character) for character in text)
