"""Grammatical sentences made ungrammatical: a word left out, or two neighbours flipped, by their parts of speech."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

NOMINAL = ("NOUN", "PROPN")
SIGNS = ("PUNCT", "SYM")
PROTECTED_2022 = frozenset({"ADJ", "ADV", "PUNCT", "SYM", "DET", "NUM"})
PROTECTED = PROTECTED_2022 | {"PART"}
"""What may be missing without a sentence's becoming wrong; particles are protected since 2025-10-28."""
_BEFORE = re.compile(r" ([.,;:)\]}?!])")
_AFTER = re.compile(r"([(\[{]) ")
_QUOTED = re.compile(r'" ([^"]*) "')
_BLANKS = (" ", "")
TRIES = 12


@dataclass(frozen=True, slots=True)
class TaggedTokens:
    """A sentence's tokens as they stand in the text; `glued[i]` where no blank follows. Without it the joining rules apply."""

    forms: Sequence[str]
    tags: Sequence[str]
    glued: Sequence[int] | None = None

    def text(self) -> str:
        return join_by_rules(self.forms) if self.glued is None else join_glued(self.forms, self.glued)


def join_by_rules(forms: Sequence[str]) -> str:
    """Tokens with a blank between, but for that before closing and after opening signs and inside of quotation marks.

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
    """The tokens that may be left out: none that is protected, and no noun beside another one."""
    return [place for place, tag in enumerate(tags) if tag not in protected and (tag not in NOMINAL or not _beside_noun(tags, place))]


def _beside_noun(tags: Sequence[str], place: int) -> bool:
    before, after = tags[place - 1] if place else "", tags[place + 1] if place + 1 < len(tags) else ""
    return before in NOMINAL or after in NOMINAL


def flips(tags: Sequence[str]) -> list[int]:
    """The tokens that may be flipped; fewer than two are none."""
    fits = [one != other and one not in SIGNS and other not in SIGNS for one, other in pairwise(tags)]
    places = [place for place, beside in enumerate(zip([False, *fits], [*fits, False], strict=True)) if True in beside]
    return places if len(places) > 1 else []


def partners(tags: Sequence[str], place: int) -> tuple[int, ...]:
    """The neighbours that a token may change places with."""
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
    """The sentence without a token; no blank is left where there was none on one of its sides."""
    forms = [*sentence.forms[:place], *sentence.forms[place + 1 :]]
    if sentence.glued is None:
        return join_by_rules(forms)
    glued = list(sentence.glued)
    if place:
        glued[place - 1] = bool(glued[place - 1] or (glued[place] and place + 1 < len(glued)))
    del glued[place]
    return join_glued(forms, glued)


def flip(sentence: TaggedTokens, place: int, other: int) -> str:
    """The sentence with two tokens in each other's place, and a capital where it begins."""
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
    """Whether words of this sentence are mostly apart from each other: not so in Chinese, Japanese or Thai."""
    assert sentence.glued is not None
    words = [tag not in SIGNS for tag in sentence.tags]
    tight = [g for g, a, b in zip(sentence.glued, words, words[1:], strict=False) if a and b]
    return 2 * sum(tight) <= len(tight)


def corrupt(sentence: TaggedTokens, protected: frozenset[str], taken: set[str], rng: random.Random) -> tuple[str, str] | None:
    """One corruption, drawn as its authors do, that is no sentence of the treebank; None where there is none."""
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
    """Everything that a sentence can become."""
    for place in deletions(sentence.tags, protected):
        yield delete(sentence, place), "delete"
    for place in flips(sentence.tags):
        for other in partners(sentence.tags, place):
            yield flip(sentence, place, other), "flip"
