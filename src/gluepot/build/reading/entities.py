"""Entity mentions from `Entity=` in MISC (CorefUD): they nest and cross, and a closing bracket has the entity's id only."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gluepot.build.reading.conllu import ConlluSentence

_ENTITY = re.compile(r"(?:^|\|)Entity=([^|]*)")
_PART = re.compile(r"\(([^()]*)(\))?|(?<![^()])([^()]+)\)")


@dataclass(frozen=True)
class Mention:
    """Span of tokens that refers to an entity."""

    sentence: int
    first: int
    last: int
    """Indices of lines in the sentence, both inclusive."""
    entity: str
    kind: str
    """Entity type: person, place …"""
    start: int
    end: int
    """Offsets in the sentence's text, half-open."""
    text: str
    pronoun: bool
    form: str
    """pronoun, name or phrase."""


def mentions_of(sentence: ConlluSentence, number: int, fields: list[str]) -> Iterator[Mention]:
    """Yield the mentions of one sentence, without discontinuous ones."""
    open_: dict[str, list[tuple[int, str]]] = {}
    places = _places(sentence)
    text = sentence.surface_text()
    for line, misc in enumerate(sentence.misc):
        found = _ENTITY.search(misc) if line in places else None
        for part in _PART.finditer(found[1]) if found else ():
            if part[3] is not None:
                if stack := open_.get(part[3].partition("-")[0]):
                    first, kind = stack.pop()
                    yield _mention(sentence, number, first, line, part[3].partition("-")[0], kind, places, text)
                continue
            values = part[1].split("-")
            entity, kind = values[0], values[fields.index("etype")] if "etype" in fields and len(values) > fields.index("etype") else ""
            if "[" in entity:
                continue
            if part[2]:
                yield _mention(sentence, number, line, line, entity, kind, places, text)
            else:
                open_.setdefault(entity, []).append((line, kind))


def _places(sentence: ConlluSentence) -> dict[int, tuple[int, int]]:
    """Map lines to spans in the text; words within a range token have the span of the whole token."""
    found: dict[int, tuple[int, int]] = {}
    place = 0
    current = (0, 0)
    for line, name in enumerate(sentence.ids):
        if sentence.inner[line] and "." not in name:
            found[line] = current
        elif "." not in name:
            current = place, place + len(sentence.forms[line])
            found[line] = current
            place = current[1] + (not sentence.glued(line))
    return found


def _mention(
    sentence: ConlluSentence, number: int, first: int, last: int, entity: str, kind: str, places: dict[int, tuple[int, int]], text: str
) -> Mention:
    start, end = places[first][0], places[last][1]
    tags = {sentence.tags[line] for line in range(first, last + 1)}
    pronoun = first == last and sentence.tags[first] == "PRON"
    form = "pronoun" if pronoun else "name" if "PROPN" in tags else "phrase"
    return Mention(number, first, last, f"{sentence.document}#{entity}", kind, start, end, text[start:end], pronoun, form)
