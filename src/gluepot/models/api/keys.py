"""The user's API key: where it is read from, and which addresses it may be sent to. An address named only in a file gets none."""

import os
from collections.abc import Iterator
from urllib.parse import urlsplit

KEYS = ("GLUEPOT_API_KEY", "OPENAI_API_KEY")
"""Environment variables for the key, which is read from nowhere else and never written."""
ADDRESSES = ("GLUEPOT_API_URL", "OPENAI_BASE_URL")
"""Environment variables that name an address for the key."""
PORTS = {"http": 80, "https": 443}


def find_key() -> str | None:
    return next((os.environ[name] for name in KEYS if os.environ.get(name)), None)


def key_for(url: str, named: str = "") -> str | None:
    """Return the key if the user has named this address, on the command line (`named`) or in the environment; else None."""
    return find_key() if any(covers(address, url) for address in (named, *_addresses())) else None


def covers(named: str, url: str) -> bool:
    """Return whether an address is the named one or below it: same scheme, host and port, and a path within its own.

    >>> covers("https://h/v1/", "https://h:443/v1"), covers("https://h", "https://h/v1")
    (True, True)
    >>> covers("https://h/v1", "http://h/v1"), covers("https://h/v1", "https://h/v12"), covers("", "https://h")
    (False, False, False)
    """
    try:
        wanted, found = _parts(named), _parts(url)
    except ValueError:  # an invalid port
        return False
    return None not in wanted and wanted[:3] == found[:3] and f"{found[3]}/".startswith(f"{wanted[3]}/")


def _parts(url: str) -> tuple[str | None, str | None, int | None, str]:
    parts = urlsplit(url)
    return parts.scheme or None, parts.hostname, parts.port or PORTS.get(parts.scheme), parts.path.rstrip("/")


def _addresses() -> Iterator[str]:
    yield from (os.environ[name] for name in ADDRESSES if os.environ.get(name))
