"""Problems of one input, bounded in memory: the first ones of each sort are stored, the rest counted."""

from collections import Counter

from gluepot.plurals import pluralize
from gluepot.records import Problem

KEPT = 1000
"""Maximum number of stored problems of one code in one file."""
ALL_KEPT = 20_000
"""Maximum number of stored problems of one submission."""
LONGEST = 300
"""Maximum characters of a message; a number alone can have thousands of digits."""
HOPELESS = ALL_KEPT
"""Problems in one file after which reading stops."""


class Problems:
    """Collection of problems that never grows beyond what a person could read."""

    def __init__(self, known: "Problems | None" = None) -> None:
        """Initialise the problems of a part, whose files may have problems that are `known` already."""
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
        """Return the number of problems, in all or in one file, including known ones."""
        own = self._files.total() if file is None else self._files[file]
        return own + (self._known.count(file) if self._known else 0)

    def join(self, part: "Problems") -> None:
        """Add the problems of a part."""
        self._kept += part._kept[: ALL_KEPT - len(self._kept)]
        self._sorts += part._sorts
        self._files += part._files

    def forget(self, file: str) -> None:
        """Drop the problems of a file that turned out not to be at fault."""
        self._kept = [problem for problem in self._kept if problem.file != file]
        self._files.pop(file, None)
        for sort in [sort for sort in self._sorts if sort[0] == file]:
            del self._sorts[sort]

    def has_too_many(self, file: str) -> bool:
        """Return whether a file has too many problems to be read further."""
        return self._files[file] >= HOPELESS

    def listed(self) -> list[Problem]:
        """Return the stored problems, with a line for each sort that was cut short."""
        kept = Counter((problem.file, problem.code) for problem in self._kept)
        more = [(file, code, n - kept[file, code]) for (file, code), n in self._sorts.items() if n > kept[file, code]]
        told = [Problem("more", f"… {pluralize(n, 'more problem')} of the sort {code}.", file, count=n) for file, code, n in more]
        return self._kept + told
