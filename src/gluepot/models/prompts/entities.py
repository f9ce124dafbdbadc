"""Named entities as the JSON dictionary that a prompt asks for, and back to one tag a token."""

import json
from collections.abc import Mapping, Sequence

MOST = 5
"""Entities of a type that constrained decoding allows, as ScandEval's schema does."""


def keys_of(words: Mapping[str, str]) -> list[str]:
    """The dictionary's keys in their declared order.

    >>> keys_of({"B-PER": "person", "I-PER": "person", "B-LOC": "sted"})
    ['person', 'sted']
    """
    return list(dict.fromkeys(words.values()))


def as_json(tokens: Sequence[str], tags: Sequence[str], words: Mapping[str, str]) -> str:
    """The entities of a tagged sentence.

    >>> as_json(["Anna", "Holm", "sov"], ["B-PER", "I-PER", "O"], {"B-PER": "person", "I-PER": "person"})
    '{"person": ["Anna Holm"]}'
    """
    found: dict[str, list[str]] = {key: [] for key in keys_of(words)}
    before = "O"
    for token, tag in zip(tokens, tags, strict=True):
        if tag != "O":
            entities = found[words[tag]]
            if tag.startswith("I-") and before[2:] == tag[2:] and entities:
                entities[-1] += f" {token}"
            else:
                entities.append(token)
        before = tag
    return json.dumps(found, ensure_ascii=False)


def schema(words: Mapping[str, str]) -> str:
    """The JSON schema that constrained decoding keeps to."""
    lists = {key: {"type": "array", "items": {"type": "string"}, "maxItems": MOST} for key in keys_of(words)}
    return json.dumps({"type": "object", "properties": lists, "required": list(lists), "additionalProperties": False}, ensure_ascii=False)


def as_tags(text: str, tokens: Sequence[str], words: Mapping[str, str]) -> list[str] | None:
    """Tags from what a model wrote; None if it is not such a dictionary. Entities that are not in the sentence are left out.

    >>> as_tags('{"person": ["Anna Holm"]} og', ["Anna", "Holm", "sov"], {"B-PER": "person", "I-PER": "person"})
    ['B-PER', 'I-PER', 'O']
    """
    found = _dictionary(text)
    if found is None or set(found) - set(words.values()):
        return None
    tags = ["O"] * len(tokens)
    kinds = {word: tag.partition("-")[2] for tag, word in words.items()}
    for key, entities in found.items():
        if not isinstance(entities, list) or not all(isinstance(entity, str) for entity in entities):
            return None
        for entity in entities:
            _mark(tags, tokens, entity.split(), kinds[key], words)
    return tags


def _dictionary(text: str) -> dict[str, object] | None:
    start = text.find("{")
    try:
        found = json.JSONDecoder().raw_decode(text, start)[0] if start >= 0 else None
    except (json.JSONDecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _mark(tags: list[str], tokens: Sequence[str], entity: Sequence[str], kind: str, words: Mapping[str, str]) -> None:
    """Every place where the entity's words stand and nothing is marked yet."""
    size = len(entity)
    inner = f"I-{kind}" if f"I-{kind}" in words else f"B-{kind}"
    for start in range(len(tokens) - size + 1 if size else 0):
        if list(tokens[start : start + size]) == list(entity) and set(tags[start : start + size]) == {"O"}:
            tags[start : start + size] = [f"B-{kind}", *[inner] * (size - 1)]
