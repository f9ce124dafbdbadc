"""All problems of one input, bounded in memory: the first ones of each sort are kept, the rest counted."""

from collections import Counter

from gluepot.plurals import pluralize
from gluepot.records import Problem

KEPT = 1000
"""Problems kept of one code in one file."""
ALL_KEPT = 20_000
"""Problems kept of one submission."""
LONGEST = 300
"""Characters of a message; a number alone can have thousands of digits."""
HOPELESS = ALL_KEPT
"""Problems in one file after which nobody reads on."""


class Problems:
    """Collects problems without ever growing beyond what a person could read."""

    def __init__(self, known: "Problems | None" = None) -> None:
        """Of a part, whose files may have problems that are `known` already."""
        self._known = known
        self._kept: list[Problem] = []
        self._sorts: Counter[tuple[str | None, str]] = Counter()
        self._files: Counter[str | None] = Counter()

    def add(
        self,
        code: str,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        id: str | None = None,  # noqa: A002
        hint: str = "",
    ) -> None:
        self._files[file] += 1
        self._sorts[file, code] += 1
        if self._sorts[file, code] <= KEPT and len(self._kept) < ALL_KEPT:
            short = message if len(message) <= LONGEST else f"{message[: LONGEST - 1]}…"
            self._kept.append(Problem(code, short, file, line, id, hint))

    def count(self, file: str | None = None) -> int:
        """How many there are, in all or in one file; known ones are counted too."""
        own = self._files.total() if file is None else self._files[file]
        return own + (self._known.count(file) if self._known else 0)

    def join(self, part: "Problems") -> None:
        """Take over those of a part."""
        self._kept += part._kept[: ALL_KEPT - len(self._kept)]
        self._sorts += part._sorts
        self._files += part._files

    def forget(self, file: str) -> None:
        """Drop what was said of a file, where it turned out to be nobody's fault."""
        self._kept = [problem for problem in self._kept if problem.file != file]
        self._files.pop(file, None)
        for sort in [sort for sort in self._sorts if sort[0] == file]:
            del self._sorts[sort]

    def hopeless(self, file: str) -> bool:
        """Whether a file has so many that reading on helps nobody."""
        return self._files[file] >= HOPELESS

    def listed(self) -> list[Problem]:
        """What is kept, with a line for each sort that was cut short."""
        kept = Counter((problem.file, problem.code) for problem in self._kept)
        more = [(file, code, n - kept[file, code]) for (file, code), n in self._sorts.items() if n > kept[file, code]]
        told = [Problem("more", f"… {pluralize(n, 'more problem')} of the sort {code}.", file, count=n) for file, code, n in more]
        return self._kept + told
