"""Links of raters and keepers: what is in a link is known to its owner alone; the database has its hash."""

from hashlib import sha256
from secrets import token_urlsafe

LENGTH = 24
"""Random bytes of a token."""
NAMES = [
    "wren",
    "robin",
    "heron",
    "swift",
    "plover",
    "dunlin",
    "siskin",
    "linnet",
    "curlew",
    "osprey",
    "kestrel",
    "dipper",
    "avocet",
    "fulmar",
    "gannet",
    "knot",
    "lapwing",
    "merlin",
    "nuthatch",
    "pipit",
    "puffin",
    "redstart",
    "ruff",
    "sanderling",
    "shrike",
    "skua",
    "smew",
    "snipe",
    "starling",
    "stonechat",
    "teal",
    "tern",
    "thrush",
    "treecreeper",
    "turnstone",
    "twite",
    "wagtail",
    "warbler",
    "waxwing",
    "wheatear",
    "whimbrel",
    "wigeon",
    "woodcock",
    "bittern",
    "brambling",
    "bullfinch",
    "bunting",
    "chaffinch",
    "dotterel",
    "eider",
]
"""Raters have the names of birds: nobody learns who they are."""


def make_token() -> str:
    return token_urlsafe(LENGTH)


def hash_token(token: str) -> str:
    """
    >>> len(hash_token("x"))
    64
    """
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def bird(number: int) -> str:
    """
    >>> bird(0), bird(50)
    ('wren', 'wren 2')
    """
    again = number // len(NAMES)
    return f"{NAMES[number % len(NAMES)]} {again + 1}" if again else NAMES[number]
