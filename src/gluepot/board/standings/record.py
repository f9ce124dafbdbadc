"""Record of a standings page, rendered as HTML, JSON, API response, CSV and snapshot; the API schema is generated from it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

RANKED, REFERENCE, INCOMPLETE = SECTIONS = ("ranked", "reference", "incomplete")
DESCRIBED: dict[str, Any] = {"use_attribute_docstrings": True, "json_schema_serialization_defaults_required": True, "extra": "forbid"}
"""Pydantic configuration: describe fields by their attribute docstrings, require all of them and forbid others."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class ScoreCell:
    """A system's score on a task."""

    __pydantic_config__ = DESCRIBED

    value: float
    low: float | None
    high: float | None
    verified: bool
    """whether it was computed here from predictions; otherwise it was only reported"""
    others: tuple[tuple[str, float], ...] = ()
    """values of the task's other metrics"""
    note: str = ""
    """remark on the value"""
    n: int | None = None
    """number of answered items, where items may be skipped"""
    coverage: float | None = None
    """share of answered items, where items may be skipped"""
    answered: float | None = None
    """value over the answered items alone, where the ranking value is over all items"""
    ranked: bool = True
    """whether enough items were answered for it to rank"""
    method: str = ""
    """basis of its interval: bootstrap, wilson, iterations"""
    harness: str = ""
    """harness that produced it, with its version, where known"""
    people: dict[str, float] = field(default_factory=dict)
    """for human scores with stored votes: items, votes_an_item, raters; their interval is over items and raters"""
    same_items: float | None = None
    """a system's value on the items that human raters answered, where these are not all of them"""


@dataclass(frozen=True, kw_only=True)
class StandingsTask:
    """A column of the table."""

    __pydantic_config__ = DESCRIBED

    name: str
    title: str
    metrics: tuple[str, ...]
    """the first metric ranks"""
    n: int | None
    skips: bool = False
    """whether items may be skipped"""
    counts: bool
    """whether it is part of the overall number"""
    terms: tuple[int, ...] = ()
    """indices of the official mean's terms that it belongs to"""
    counted: tuple[str, ...] = ()
    """metrics whose mean counts, unless only the first one does"""
    declared: bool = True
    """whether the suite declares the task; otherwise it is several tasks published as one"""
    label: str = ""
    """plain-language name of the task"""
    short: str = ""
    """one-word name of the task"""
    data: str = ""
    """one-word name of its dataset"""
    type: str = ""
    """task type"""
    instead: str = ""
    """metric that should rank but has no scores, where another one stands in for it"""
    best: float | None = None
    """best value computed here among the systems that pass the filters, on any page"""


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
    """basis of the rank interval: resamples, intervals (as reported), or none"""
    tied: list[str] = field(default_factory=list)
    """tasks on which it is statistically tied with the best system"""
    versions: list[str] = field(default_factory=list)
    """harnesses that produced its scores in this row, with versions, where known"""
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
    """whether every score behind the overall number was computed here"""
    left_out: dict[str, float] = field(default_factory=dict)
    """task to its share of answered items, where some were skipped"""
    coverage: str
    """number of terms of the overall number that it has, out of all"""
    scores: dict[str, ScoreCell | None]
    languages: tuple[str, ...] = ()
    """languages it was trained for"""
    team: str = ""
    private_scorings: int | None = None
    """number of scores that its team saw before this one became public, for systems submitted here"""
    ran_here: bool = False
    """whether the board ran the program that produced its answers; otherwise the answers were submitted"""
    open: dict[str, bool | None] = field(default_factory=dict)
    """whether weights, code and data are open; null where unknown"""


@dataclass(frozen=True)
class Partial:
    """Coverage of a score whose items may be skipped: the number of answered items, and the value on these."""

    n: int | None
    coverage: float | None
    answered: float | None
    """Value over the answered items alone, where the ranking value is over all of them."""
    unranked: tuple[float, float | None, float | None, bool] | None = None
    """Value, interval ends and whether it was computed here, for a score that is shown but does not rank."""


class RowScores(NamedTuple):
    """Score cells of a row, with the data derived from them alone."""

    scores: dict[str, ScoreCell | None]
    versions: list[str]
    left_out: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class StandingsPage:
    """The quality page, with exactly the rows that it shows for the same query."""

    __pydantic_config__ = DESCRIBED

    suite: str
    version: str
    title: str
    split: str
    splits: list[str] = field(default_factory=list)
    """splits with scores, most scores first"""
    query: str
    aggregate: str
    tasks: list[StandingsTask]
    terms: int = 0
    """number of terms of the overall number"""
    systems: int
    shown: int
    competing: int = 0
    """number of ranked systems"""
    unsized: int = 0
    """number of systems hidden by the size limits because their size is unknown"""
    only: str = ""
    """the only task that ranks, if one was chosen"""
    versions: dict[str, int] = field(default_factory=dict)
    """harnesses of this split with their number of scores, most scores first"""
    with_intervals: int
    """number of ranked systems with a rank interval, from predictions or as reported"""
    tied_with_best: int
    """number of these systems that may be the best"""
    best: float | None = None
    """best overall number computed here among the ranked systems with a rank interval"""
    pages: int = 1
    unknown_parameters: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """titles of official tasks without any score on this split"""
    rows: list[StandingsRow]
    citation: str = ""
    suite_citation: str
    changed: datetime | None
    revision: int = 0
    scorer: str

    @property
    def chosen(self) -> list[str]:
        """Tasks of the overall number."""
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
        """Whether some system may be statistically tied with the best, overall or on a task."""
        return self.with_intervals > 0 or any(row.tied for row in self.rows)

    @property
    def ran_here(self) -> bool:
        """Whether the board itself ran a submitted program."""
        return any(row.ran_here for row in self.rows)

    @property
    def same_items(self) -> bool:
        """Whether some system has a value on the items that human raters answered."""
        return any(cell and cell.same_items is not None for row in self.rows for cell in row.scores.values())

    @property
    def skips(self) -> bool:
        """Whether items of some task may be skipped."""
        return any(task.skips for task in self.tasks)

    @property
    def sections(self) -> list[str]:
        """Sections in row order; empty ones come last."""
        return list(dict.fromkeys([*(row.section for row in self.rows), *SECTIONS]))

    def section(self, name: str) -> list[StandingsRow]:
        return [row for row in self.rows if row.section == name]
