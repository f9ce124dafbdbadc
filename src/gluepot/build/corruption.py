"""Corruption of grammatical sentences: a word is deleted or two neighbours are swapped, depending on their parts of speech."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

NOMINAL = ("NOUN", "PROPN")
SIGNS = ("PUNCT", "SYM")
PROTECTED_2022 = frozenset({"ADJ", "ADV", "PUNCT", "SYM", "DET", "NUM"})
PROTECTED = PROTECTED_2022 | {"PART"}
"""Parts of speech whose deletion can leave a sentence grammatical; particles are protected since 2025-10-28."""
_BEFORE = re.compile(r" ([.,;:)\]}?!])")
_AFTER = re.compile(r"([(\[{]) ")
_QUOTED = re.compile(r'" ([^"]*) "')
_BLANKS = (" ", "")
TRIES = 12


@dataclass(frozen=True, slots=True)
class TaggedTokens:
    """Surface tokens of a sentence; `glued[i]` is true if no space follows token i. Without `glued`, the joining rules apply."""

    forms: Sequence[str]
    tags: Sequence[str]
    glued: Sequence[int] | None = None

    def text(self) -> str:
        return join_by_rules(self.forms) if self.glued is None else join_glued(self.forms, self.glued)


def join_by_rules(forms: Sequence[str]) -> str:
    """Join tokens with spaces, except before closing and after opening punctuation and inside quotation marks.

    >>> join_by_rules('Han sagde : " Kom ( nu ) ! "'.split())
    'Han sagde: "Kom (nu)!"'
    """
    text = _AFTER.sub(r"\1", _BEFORE.sub(r"\1", " ".join(forms)))
    return _QUOTED.sub(r'"\1"', text) if text.count('"') % 2 == 0 else text


def join_glued(forms: Sequence[str], glued: Sequence[int]) -> str:
    """
    >>> join_glued(["Kom", "!"], [True, False])
    'Kom!'
    """
    parts = [" "] * (2 * len(forms))
    parts[::2] = forms
    parts[1::2] = map(_BLANKS.__getitem__, glued)
    return "".join(parts).rstrip(" ")


def deletions(tags: Sequence[str], protected: frozenset[str]) -> list[int]:
    """Return the tokens that may be deleted: no protected tags, and no noun next to another noun."""
    return [place for place, tag in enumerate(tags) if tag not in protected and (tag not in NOMINAL or not _beside_noun(tags, place))]


def _beside_noun(tags: Sequence[str], place: int) -> bool:
    before, after = tags[place - 1] if place else "", tags[place + 1] if place + 1 < len(tags) else ""
    return before in NOMINAL or after in NOMINAL


def flips(tags: Sequence[str]) -> list[int]:
    """Return the tokens that may be swapped with a neighbour; empty if there are fewer than two."""
    fits = [one != other and one not in SIGNS and other not in SIGNS for one, other in pairwise(tags)]
    places = [place for place, beside in enumerate(zip([False, *fits], [*fits, False], strict=True)) if True in beside]
    return places if len(places) > 1 else []


def partners(tags: Sequence[str], place: int) -> tuple[int, ...]:
    """Return the neighbours that a token may be swapped with."""
    if place == 0:
        return (1,)
    if place == len(tags) - 1:
        return (place - 1,)
    before, tag, after = tags[place - 1 : place + 2]
    if after in SIGNS or tag == after or {tag, after} == {"PRON", "AUX"}:
        return (place - 1,)
    if before in SIGNS or tag == before:
        return (place + 1,)
    return place - 1, place + 1


def delete(sentence: TaggedTokens, place: int) -> str:
    """Return the sentence without a token; no space is introduced where there was none on one of its sides."""
    forms = [*sentence.forms[:place], *sentence.forms[place + 1 :]]
    if sentence.glued is None:
        return join_by_rules(forms)
    glued = list(sentence.glued)
    if place:
        glued[place - 1] = bool(glued[place - 1] or (glued[place] and place + 1 < len(glued)))
    del glued[place]
    return join_glued(forms, glued)


def flip(sentence: TaggedTokens, place: int, other: int) -> str:
    """Return the sentence with two tokens swapped and its first word capitalised."""
    forms = list(sentence.forms)
    forms[place], forms[other] = forms[other], forms[place]
    if 0 in (place, other):
        forms[0] = forms[0] if forms[0] == forms[0].upper() else forms[0].title()
        forms[1] = forms[1] if forms[1] == forms[1].upper() else forms[1].lower()
    if sentence.glued is None:
        return join_by_rules(forms)
    glued = list(sentence.glued)
    if glued[first := min(place, other)] and _writes_blanks(sentence):
        glued[first] = False  # l'homme → homme l', and not hommel'
    return join_glued(forms, glued)


def _writes_blanks(sentence: TaggedTokens) -> bool:
    """Return whether the words of this sentence are mostly separated by spaces, unlike in Chinese, Japanese or Thai."""
    assert sentence.glued is not None
    words = [tag not in SIGNS for tag in sentence.tags]
    tight = [g for g, a, b in zip(sentence.glued, words, words[1:], strict=False) if a and b]
    return 2 * sum(tight) <= len(tight)


def corrupt(sentence: TaggedTokens, protected: frozenset[str], taken: set[str], rng: random.Random) -> tuple[str, str] | None:
    """Draw one corruption as the published method does and return its text and kind; None if all are sentences of the treebank."""
    places: dict[str, list[int]] = {}
    for _ in range(TRIES):
        way = rng.choice(("flip", "delete"))
        if way not in places:
            places[way] = flips(sentence.tags) if way == "flip" else deletions(sentence.tags, protected)
        if not places[way]:
            continue
        place = rng.choice(places[way])
        text = delete(sentence, place) if way == "delete" else flip(sentence, place, rng.choice(partners(sentence.tags, place)))
        if text not in taken:
            return text, way
    return _any_other(sentence, protected, taken, rng)


def _any_other(sentence: TaggedTokens, protected: frozenset[str], taken: set[str], rng: random.Random) -> tuple[str, str] | None:
    possible = [(text, way) for text, way in corruptions(sentence, protected) if text not in taken]
    return rng.choice(possible) if possible else None


def corruptions(sentence: TaggedTokens, protected: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield all corruptions of a sentence with their kind."""
    for place in deletions(sentence.tags, protected):
        yield delete(sentence, place), "delete"
    for place in flips(sentence.tags):
        for other in partners(sentence.tags, place):
            yield flip(sentence, place, other), "flip"
