"""Revision number of the database, and in-memory caches that are valid for one revision."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Generic, TypeVar

from gluepot.board.models import Revision

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_pinned = ContextVar[int | None]("revision", default=None)
_caches: list["RevisionCache"] = []  # type: ignore[type-arg]


def revision() -> int:
    """Return the number of the last change, or the pinned one while a response is being built."""
    if (pinned := _pinned.get()) is not None:
        return pinned
    return Revision.objects.values_list("number", flat=True).first() or 0


@contextmanager
def pinned_revision(number: int) -> Iterator[None]:
    """Pin the revision for all parts of a response, so that it is looked up only once."""
    token = _pinned.set(number)
    try:
        yield
    finally:
        _pinned.reset(token)


class RevisionCache(Generic[K, V]):
    """Cache of values read from the database, valid while the revision stays the same."""

    def __init__(self, most: int = 1000) -> None:
        self.most, self.lock = most, Lock()
        self.values: dict[K, tuple[int, V]] = {}
        _caches.append(self)

    def get(self, key: K, at: int, make: Callable[[], V]) -> V:
        """Return the value as of revision `at`, computed by one thread at a time."""
        with self.lock:
            kept = self.values.get(key)
            if kept is None or kept[0] != at:
                kept = at, make()
                full = len(self.values) >= self.most
                self.values = {known: one for known, one in self.values.items() if one[0] == at and not full}
                self.values[key] = kept
            return kept[1]


def forget_all() -> None:
    """Clear all caches after the database was changed externally."""
    for cache in _caches:
        with cache.lock:
            cache.values.clear()
