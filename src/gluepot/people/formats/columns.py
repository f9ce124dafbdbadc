"""Detection of columns by name: raters, items, answers, times."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from gluepot.errors import WrongUse, nearest

RATERS = ("rater", "rater_id", "annotator", "annotator_id", "worker", "worker_id", "coder", "judge", "user", "user_id", "username")
ITEMS = ("item", "item_id", "unit", "task", "task_id", "instance", "instance_id", "id", "idx", "pair", "question_id", "example_id")
ANSWERS = (
    "value",
    "label",
    "answer",
    "vote",
    "result",
    "rating",
    "score",
    "judgment",
    "judgement",
    "choice",
    "variant",
    "response",
    "output",
)
_WIDE = re.compile(r"(a|anno|annotator|rater|judge|coder|worker)[ _-]?\d+", re.IGNORECASE)


def folded(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def first_of(columns: Iterable[str], names: Sequence[str]) -> str | None:
    """Return the column that matches the first possible of some names."""
    by_name = {folded(column): column for column in columns}
    return next((by_name[name] for name in names if name in by_name), None)


def wide_columns(columns: Iterable[str]) -> list[str]:
    """Return the columns that are raters.

    >>> wide_columns(["word_1", "a1", "Anno 2", "rater-3", "label"])
    ['a1', 'Anno 2', 'rater-3']
    """
    return [column for column in columns if _WIDE.fullmatch(column.strip())]


def choose_answer(place: str, candidates: Sequence[str], asked: str | None) -> str:
    """Return the answer column: the requested one, the only one, or the one with a usual name."""
    if asked:
        found = first_of(candidates, (folded(asked),))
        if found is None:
            likely = nearest(asked, candidates)
            hint = f"Did you mean {likely!r}?" if likely else f"It has {', '.join(candidates) or 'none'}."
            raise WrongUse(f"{place}: no column of answers {asked!r}. {hint}")
        return found
    if len(candidates) == 1:
        return candidates[0]
    found = first_of(candidates, ANSWERS)
    if found is None:
        raise WrongUse(f"{place}: which column has the answers? --answer names one of {', '.join(candidates) or 'none'}.")
    return found


def cell(value: Any) -> Any:
    """Normalise a table cell: strip text, and return None if it is empty."""
    if isinstance(value, str):
        return value.strip() or None
    return value


def as_seconds(record: dict[str, Any], start: str | None, end: str | None) -> float | None:
    """Return the seconds between two times of a row, or None if they are missing, invalid or reversed."""
    try:
        gone = datetime.fromisoformat(str(record[end])) - datetime.fromisoformat(str(record[start])) if start and end else None
    except (KeyError, ValueError, TypeError):
        return None
    return gone.total_seconds() if gone is not None and gone.total_seconds() >= 0 else None


def as_number(value: Any) -> float | None:
    """
    >>> as_number("12.5"), as_number(""), as_number(None)
    (12.5, None, None)
    """
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
