"""Places that no foreign program may see: rooms that know of answers say here where they lie."""

from collections.abc import Callable, Iterable
from pathlib import Path

HIDERS: list[Callable[[], Iterable[Path]]] = []


def hidden_places() -> list[Path]:
    """All of them that are there."""
    return sorted({path.resolve() for hide in HIDERS for path in hide() if path.exists()})
