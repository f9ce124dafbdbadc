"""Display of problems: the first ones of each code, and the total number."""

from collections import Counter
from collections.abc import Iterator, Sequence

from gluepot.plurals import pluralize
from gluepot.records import Problem, count_problems

SHOWN = 20
"""Problems of one code that are printed before the others are only counted."""


def listed(problems: Sequence[Problem]) -> Iterator[str]:
    """Yield the first problems of each code, one per line, and the number of its others."""
    counts: Counter[str] = Counter()
    for problem in problems:
        counts[problem.code] += 1
        if counts[problem.code] <= SHOWN:
            yield str(problem)
    for code, count in counts.items():
        if count > SHOWN:
            yield f"… {count - SHOWN:,} more of [{code}]; --json lists them."


def total(problems: Sequence[Problem]) -> str:
    """Return the number of problems, and how many of them are shown.

    >>> total([Problem("unknown-id", "no item 7.")]), total([Problem("unknown-id", "no item.")] * 30)
    ('1 problem', '20 of 30 problems shown')
    """
    counts = Counter(problem.code for problem in problems if not problem.count)
    shown, every = sum(min(SHOWN, count) for count in counts.values()), count_problems(problems)
    return pluralize(every, "problem") if shown == every else f"{shown:,} of {pluralize(every, 'problem')} shown"
