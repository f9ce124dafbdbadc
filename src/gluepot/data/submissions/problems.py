"""All problems of one input, bounded in memory: the first ones of each sort are kept, the rest counted."""

from collections import Counter

from gluepot.records import Problem

KEPT = 1000
"""Problems kept of one code in one file."""


class Problems:
    """Collects problems without ever growing beyond what a person could read."""

    def __init__(self) -> None:
        self._kept: list[Problem] = []
        self._counts: Counter[tuple[str | None, str]] = Counter()

    def add(
        self, code: str, message: str, *, file: str | None = None, line: int | None = None, id: str | None = None, hint: str = ""  # noqa: A002
    ) -> None:
        self._counts[file, code] += 1
        if self._counts[file, code] <= KEPT:
            self._kept.append(Problem(code, message, file, line, id, hint))

    def count(self, file: str | None = None) -> int:
        """How many there are, in all or in one file."""
        return sum(n for (place, _), n in self._counts.items() if file is None or place == file)

    def listed(self) -> list[Problem]:
        """What is kept, with a line for each sort that was cut short."""
        more = [
            Problem(code, f"{n - KEPT:,} more problems of this sort.", file)
            for (file, code), n in self._counts.items()
            if n > KEPT
        ]
        return self._kept + more
