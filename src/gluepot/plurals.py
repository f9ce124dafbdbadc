"""Pluralization of English nouns after a count."""


def pluralize(count: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun, singular or plural.

    >>> pluralize(1, "item"), pluralize(8505, "item"), pluralize(2, "entry", "entries"), pluralize(0, "more row")
    ('1 item', '8,505 items', '2 entries', '0 more rows')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
