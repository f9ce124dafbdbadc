"""Checks of characters: wrongly decoded text, control and invisible characters, escapes, Unicode not in normal form C."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from unicodedata import is_normalized

from gluepot.data.checks.findings import SHOWN, Finding
from gluepot.data.checks.material import CHECKS, Material, Split
from gluepot.plurals import pluralize
from gluepot.records import Example

BLOCK = 200
"""Rows searched together: most blocks are clean, and one long text is searched faster than many short ones."""

# UTF-8 read as Windows-1252 or Latin-1: a lead byte, then a continuation byte. Quotation marks, dashes and dots are left out
# as continuations, since they may legitimately follow a capital Å or Ð ("BLÅ”"), and so are Å², Å³.
_AFTER = "\x80-\x9f¡-ª¬®-´¶¸-º¼-¿€ƒˆ‰Š‹ŒŽ˜™š›œžŸ†‡"
_AFTER_RING = "\x80-\x9f¡-ª¬®¯´¶¸º¼-¿€ƒˆ‰Š‹ŒŽ˜™š›œžŸ†‡"
# UTF-8 read as Windows-1251: capitals Р and С before signs, three times or more.
_AFTER_CYRILLIC = "\u0402-\u040f\u0452-\u045f°±²³µ¶·№ЁёґҐ‚„…†‡€‰‹‘’“”•–—™›\xa0¤¦§©«¬®"

# One class of first characters, then the continuations of each, so that the search can skip from one to the next.
MOJIBAKE = re.compile(
    "[\ufffd\x80-\x84\x86-\x9fÂÃÐÑÄÅâРС](?:"
    f"(?<=[ÂÃÐÑ])[{_AFTER}]|(?<=[ÄÅ])[{_AFTER_RING}]|(?<=â)€[\x80-\x9f™œ“”¦˜¢]|(?<=[\ufffd\x80-\x9f])"
    f"|(?<=[РС])[{_AFTER_CYRILLIC}](?:[РС][{_AFTER_CYRILLIC}]){{2,}})"
)
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
INVISIBLE = re.compile("[\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\xad]")
ESCAPE = re.compile(r"[&\\](?:(?<=&)(?:[a-zA-Z]{2,6}|#\d{2,5});|(?<=\\)(?:[nrt](?![a-z]{2})|u[0-9a-f]{4}))")


_MARK = re.compile("\\w?[\u0300-\u036f\u0653-\u0655\u3099\u309a]")
_ANYTHING = re.compile("(?s:.)")


def _not_normal(text: str) -> re.Match[str] | None:
    """Return the match where a text stops being normal: most likely a letter with a separate accent."""
    return None if is_normalized("NFC", text) else _MARK.search(text) or _ANYTHING.search(text)


_SEARCHES: tuple[tuple[str, str, Callable[[str], re.Match[str] | None]], ...] = (
    ("mojibake", "decoded with the wrong character set", MOJIBAKE.search),
    ("control-character", "with control characters", CONTROL.search),
    ("invisible-character", "with invisible characters", INVISIBLE.search),
    ("escape", "with escapes such as &quot; or \\n", ESCAPE.search),
    ("not-nfc", "not in Unicode's normal form C", _not_normal),
)
PROBLEMS = ("mojibake", "control-character")


@CHECKS.register("characters")
def check_characters(material: Material) -> Iterator[Finding]:
    for split in material.splits.values():
        found: dict[str, list[tuple[int, re.Match[str]]]] = {code: [] for code, _, _ in _SEARCHES}
        counts: Counter[str] = Counter()
        for code, row, match in _search(split):
            counts[code] += 1
            if counts[code] <= SHOWN:
                found[code].append((row, match))
        for code, what, _ in _SEARCHES:
            if count := counts[code]:
                say = material.problem if code in PROBLEMS else material.note
                examples = (f"{split.place(row)} {_around(match)}" for row, match in found[code])
                yield say(code, split.name, f"{pluralize(count, 'item')} {what}", examples, count)


def _search(split: Split) -> Iterator[tuple[str, int, re.Match[str]]]:
    """Yield the matches block by block; rows are searched one by one only if the block is not clean."""
    for start in range(0, len(split), BLOCK):
        texts = ["\n".join(strings(example)) for example in split.examples[start : start + BLOCK]]
        block = "\n".join(texts)
        for code, _, search in _SEARCHES:
            if search(block):
                found = ((row, search(text)) for row, text in enumerate(texts, start))
                yield from ((code, row, match) for row, match in found if match)


def strings(example: Example) -> Iterator[str]:
    """Yield all strings of an item's inputs."""
    for value in example.inputs.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | tuple):
            yield from (part for part in value if isinstance(part, str))


def _around(match: re.Match[str]) -> str:
    """Return the match with a few characters on both sides, unprintable ones escaped."""
    near = match.string[max(0, match.start() - 15) : match.end() + 15]
    return '"' + "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in near.replace("\n", " ")) + '"'
