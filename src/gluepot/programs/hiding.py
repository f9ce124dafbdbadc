"""Places hidden from third-party programs; packages with access to answers register theirs here."""

from collections.abc import Callable, Iterable
from pathlib import Path

HIDERS: list[Callable[[], Iterable[Path]]] = []


def hidden_places() -> list[Path]:
    """Return all hidden places that exist."""
    return sorted({path.resolve() for hide in HIDERS for path in hide() if path.exists()})
