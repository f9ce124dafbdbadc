"""Tokens in the links of raters and keepers: known to the holder of the link only; the database stores their hashes."""

from hashlib import sha256
from secrets import token_urlsafe

LENGTH = 24
"""Number of random bytes in a token."""
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
"""Bird names for raters, who stay anonymous."""


def make_token() -> str:
    return token_urlsafe(LENGTH)


def hash_token(token: str) -> str:
    """Return the SHA-256 hash of a token, in hex.

    >>> len(hash_token("x"))
    64
    """
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def bird(number: int) -> str:
    """Return the bird name of the rater with this number.

    >>> bird(0), bird(50)
    ('wren', 'wren 2')
    """
    again = number // len(NAMES)
    return f"{NAMES[number % len(NAMES)]} {again + 1}" if again else NAMES[number]
