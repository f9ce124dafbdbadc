"""Options passed to a chat template besides the turns: `enable_thinking=false`, `reasoning_effort=low`."""

from typing import Any

from msgspec import DecodeError, json

from gluepot.errors import WrongUse


def read_options(text: str) -> dict[str, Any]:
    """Parse comma-separated options; a value is JSON where possible, else a string.

    >>> read_options("enable_thinking=false,reasoning_effort=low,budget=64")
    {'enable_thinking': False, 'reasoning_effort': 'low', 'budget': 64}
    """
    found = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not (equals and name.strip().isidentifier()):
            raise WrongUse(f"--chat-option: {part!r}: write NAME=VALUE, as enable_thinking=false.")
        try:
            found[name.strip()] = json.decode(value.strip())
        except DecodeError:
            found[name.strip()] = value.strip()
    return found
