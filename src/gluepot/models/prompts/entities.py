"""Named entities as the JSON dictionary required by a prompt, and its conversion back to one tag per token."""

import json
from collections.abc import Mapping, Sequence

MOST = 5
"""Maximum entities per type in constrained decoding."""


def keys_of(words: Mapping[str, str]) -> list[str]:
    """Return the keys of the dictionary in their declared order.

    >>> keys_of({"B-PER": "person", "I-PER": "person", "B-LOC": "sted"})
    ['person', 'sted']
    """
    return list(dict.fromkeys(words.values()))


def as_json(tokens: Sequence[str], tags: Sequence[str], words: Mapping[str, str]) -> str:
    """Serialize the entities of a tagged sentence.

    >>> as_json(["Anna", "Holm", "sov"], ["B-PER", "I-PER", "O"], {"B-PER": "person", "I-PER": "person"})
    '{"person": ["Anna Holm"]}'
    """
    found: dict[str, list[list[str]]] = {key: [] for key in keys_of(words)}
    before = "O"
    for token, tag in zip(tokens, tags, strict=True):
        if tag != "O":
            entities = found[words[tag]]
            if tag.startswith("I-") and before[2:] == tag[2:] and entities:
                entities[-1].append(token)
            else:
                entities.append([token])
        before = tag
    return json.dumps({key: [" ".join(entity) for entity in entities] for key, entities in found.items()}, ensure_ascii=False)


def schema(words: Mapping[str, str]) -> str:
    """Return the JSON schema for constrained decoding."""
    lists = {key: {"type": "array", "items": {"type": "string"}, "maxItems": MOST} for key in keys_of(words)}
    return json.dumps({"type": "object", "properties": lists, "required": list(lists), "additionalProperties": False}, ensure_ascii=False)


def as_tags(text: str, tokens: Sequence[str], words: Mapping[str, str]) -> list[str] | None:
    """Parse tags from generated text; None if it is not such a dictionary. Entities that are not in the sentence are ignored.

    >>> as_tags('{"person": ["Anna Holm"]} og', ["Anna", "Holm", "sov"], {"B-PER": "person", "I-PER": "person"})
    ['B-PER', 'I-PER', 'O']
    """
    found = _dictionary(text)
    if found is None or set(found) - set(words.values()):
        return None
    sentence = _Sentence(tokens)
    kinds = {word: tag.partition("-")[2] for tag, word in words.items()}
    for key, entities in found.items():
        if not isinstance(entities, list) or not all(isinstance(entity, str) for entity in entities):
            return None
        kind = kinds[key]
        for entity in entities:
            sentence.mark(entity.split(), f"B-{kind}", f"I-{kind}" if f"I-{kind}" in words else f"B-{kind}")
    return sentence.tags


def _dictionary(text: str) -> dict[str, object] | None:
    start = text.find("{")
    try:
        found = json.JSONDecoder().raw_decode(text, start)[0] if start >= 0 else None
    except (json.JSONDecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


class _Sentence:
    """Tokens being tagged, encoded as a string with one character per token, so that a search takes linear time."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tags = ["O"] * len(tokens)
        self.taken = bytearray(len(tokens))
        self.letters: dict[str, str] = {}
        self.text = "".join(self.letters.setdefault(token, chr(len(self.letters))) for token in tokens)
        self.searched: set[str] = set()

    def mark(self, entity: Sequence[str], first: str, inner: str) -> None:
        """Tag every occurrence of the entity's words that is not tagged yet."""
        sought = "".join(self.letters.get(word, "") for word in entity)
        size = len(sought)
        if not size or size < len(entity) or sought in self.searched:
            return
        self.searched.add(sought)
        place = self.text.find(sought)
        while place >= 0:
            last = self.taken.rfind(1, place, place + size)
            if last < 0:
                last = place + size - 1
                self.tags[place : last + 1] = [first, *[inner] * (size - 1)]
                self.taken[place : last + 1] = b"\1" * size
            place = self.text.find(sought, last + 1)
