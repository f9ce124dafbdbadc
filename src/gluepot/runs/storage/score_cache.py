"""Cache of scores on this machine, keyed by their inputs: showing a run a second time takes no second bootstrap."""

from hashlib import sha256
from pathlib import Path

from gluepot.files import write_atomically
from gluepot.models.caches import cache_root

KEPT = 1000
"""Runs whose scores are cached; the oldest are removed first."""


def keep(key: str, data: bytes) -> None:
    """Cache scores; if there is no room for them, they are computed again next time."""
    path = _path(key)
    try:
        write_atomically(path, _digest(data) + b"\n" + data)
        for old in sorted(path.parent.glob("*.json"), key=lambda one: one.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
    except OSError:
        return


def find(key: str) -> bytes | None:
    """Return the cached data; None if it is missing, or not as it was written."""
    try:
        digest, _, data = _path(key).read_bytes().partition(b"\n")
    except OSError:
        return None
    return data if digest == _digest(data) else None


def _path(key: str) -> Path:
    return cache_root() / "scores" / f"{key}.json"


def _digest(data: bytes) -> bytes:
    return sha256(data).hexdigest().encode()
