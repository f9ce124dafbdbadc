"""A page of standings as one record: HTML, JSON, API, CSV and snapshot are renderings of it, and the API's description is made from it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

RANKED, REFERENCE, INCOMPLETE = SECTIONS = ("ranked", "reference", "incomplete")
DESCRIBED: dict[str, Any] = {"use_attribute_docstrings": True, "json_schema_serialization_defaults_required": True, "extra": "forbid"}
"""Tells pydantic to describe a record by the words that stand here, with all its fields and no other."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class ScoreCell:
    """A system's score on a task."""

    __pydantic_config__ = DESCRIBED

    value: float
    low: float | None
    high: float | None
    verified: bool
    """computed here from predictions; otherwise reported by somebody"""
    others: tuple[tuple[str, float], ...] = ()
    """the task's further metrics"""
    note: str = ""
    """what must be said of the value"""
    n: int | None = None
    """items that were answered, where some may be left out"""
    coverage: float | None = None
    """the share of items that were answered, where some may be left out"""
    answered: float | None = None
    """the value over these alone, where the value that ranks is over all items"""
    ranked: bool = True
    """whether enough items were answered for it to rank"""
    method: str = ""
    """what its interval is made from: bootstrap, wilson, iterations"""
    harness: str = ""
    """what made it, with its version, where that is told"""
    people: dict[str, float] = field(default_factory=dict)
    """of people whose votes are here: items, votes_an_item, raters; their interval is over items and raters"""
    same_items: float | None = None
    """a system's value on the items that people were asked, where these are not all of them"""


@dataclass(frozen=True, kw_only=True)
class StandingsTask:
    """A column of the table."""

    __pydantic_config__ = DESCRIBED

    name: str
    title: str
    metrics: tuple[str, ...]
    """the first one ranks"""
    n: int | None
    skips: bool = False
    """whether items may be left out"""
    counts: bool
    """whether it is part of the overall number"""
    terms: tuple[int, ...] = ()
    """the terms of the official mean that it belongs to"""
    counted: tuple[str, ...] = ()
    """the metrics whose mean counts, where that is not the first one alone"""
    declared: bool = True
    """whether it is a task of the suite; otherwise several tasks that were printed as one"""
    label: str = ""
    """the task in plain words"""
    short: str = ""
    """the same in a word"""
    data: str = ""
    """its data set in a word"""
    type: str = ""
    """the type of task that it is"""
    instead: str = ""
    """the metric that should rank and that nobody has, where another one stands in for it"""
    best: float | None = None
    """the best value that was computed here, of the systems that pass the filters, on whatever page they are"""


@dataclass(frozen=True, kw_only=True)
class StandingsRow:
    """A system in the table."""

    __pydantic_config__ = DESCRIBED

    section: str
    """reference, ranked or incomplete"""
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    evidence: str = "none"
    """what the rank's interval is known from: resamples, intervals that were stated, or none"""
    tied: list[str] = field(default_factory=list)
    """the tasks whose best system it cannot be told apart from"""
    versions: list[str] = field(default_factory=list)
    """what made its scores here, with versions, where that is told"""
    system: str
    slug: str
    role: str
    """system, trivial or human"""
    family: str | None
    parameters: int | None
    data_gigabytes: float | None
    overall: float | None
    overall_low: float | None
    overall_high: float | None
    verified: bool
    """whether nothing behind the overall number was only reported"""
    left_out: dict[str, float] = field(default_factory=dict)
    """task to the share of its items that were answered, where some were left out"""
    coverage: str
    """how many terms of the overall number it has"""
    scores: dict[str, ScoreCell | None]
    languages: tuple[str, ...] = ()
    """those it was trained for"""
    team: str = ""
    private_scorings: int | None = None
    """how often its team was told a score before this one became public, where it was submitted here"""
    ran_here: bool = False
    """whether the board ran the program that made its answers; otherwise these were sent"""
    open: dict[str, bool | None] = field(default_factory=dict)
    """weights, code and data; null where unknown"""


@dataclass(frozen=True)
class Partial:
    """A score of a system that may leave items out: how many it answered, and what it scores on these."""

    n: int | None
    coverage: float | None
    answered: float | None
    """Over the answered items alone, where the value that ranks is over all of them."""
    unranked: tuple[float, float | None, float | None, bool] | None = None
    """Value, ends of its interval and whether it was computed here, where it is shown but does not rank."""


class RowScores(NamedTuple):
    """What a row shows of its system's scores, and what follows from these alone."""

    scores: dict[str, ScoreCell | None]
    versions: list[str]
    left_out: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class StandingsPage:
    """The quality page: exactly the rows that it shows for the same query."""

    __pydantic_config__ = DESCRIBED

    suite: str
    version: str
    title: str
    split: str
    splits: list[str] = field(default_factory=list)
    """those with scores, most scores first"""
    query: str
    aggregate: str
    tasks: list[StandingsTask]
    terms: int = 0
    """how many terms the overall number has"""
    systems: int
    shown: int
    competing: int = 0
    """how many are ranked"""
    unsized: int = 0
    """how many the limits of size hide because their size is unknown"""
    only: str = ""
    """the one task that ranks"""
    versions: dict[str, int] = field(default_factory=dict)
    """what made the scores of this split, with how many; most first"""
    with_intervals: int
    """how many of those have an interval, from predictions or as stated"""
    tied_with_best: int
    """how many of these may be the best of them"""
    best: float | None = None
    """the best overall number that was computed here, of those that have a rank and something that it is known from"""
    pages: int = 1
    unknown_parameters: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """titles of official tasks that nobody has a score for on this split"""
    rows: list[StandingsRow]
    citation: str = ""
    suite_citation: str
    changed: datetime | None
    revision: int = 0
    scorer: str

    @property
    def chosen(self) -> list[str]:
        """The tasks that make the overall number."""
        return [task.name for task in self.tasks if task.counts]

    @property
    def all_reported(self) -> bool:
        """Whether no score of a system was computed here."""
        return not any(cell and cell.verified for row in self.rows if row.role == "system" for cell in row.scores.values())

    @property
    def some_reported(self) -> bool:
        """Whether some score was only reported."""
        return any(cell and not cell.verified for row in self.rows for cell in row.scores.values())

    @property
    def shaded(self) -> bool:
        """Whether somebody cannot be told apart from the best, overall or on a task."""
        return self.with_intervals > 0 or any(row.tied for row in self.rows)

    @property
    def ran_here(self) -> bool:
        """Whether the board itself ran somebody's program."""
        return any(row.ran_here for row in self.rows)

    @property
    def same_items(self) -> bool:
        """Whether systems are shown on the items that people were asked."""
        return any(cell and cell.same_items is not None for row in self.rows for cell in row.scores.values())

    @property
    def skips(self) -> bool:
        """Whether items of some task may be left out."""
        return any(task.skips for task in self.tasks)

    @property
    def sections(self) -> list[str]:
        """In the order of the rows; what is empty comes last."""
        return list(dict.fromkeys([*(row.section for row in self.rows), *SECTIONS]))

    def section(self, name: str) -> list[StandingsRow]:
        return [row for row in self.rows if row.section == name]
