"""Response schemas of the API."""

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from gluepot.board.api.paging import Page


class ProblemSchema(Schema):
    """Error response."""

    detail: str = Field(description="a sentence")


class SuiteLine(Schema):
    """A version of a suite."""

    name: str
    version: str
    title: str
    language: str
    summary: str
    license: str
    citation: str
    link: str
    splits: list[str] = Field(description="those with scores, most scores first")
    systems: int = Field(description="how many have a score")
    address: str = Field(description="its page")


class TaskFacts(Schema):
    """A task as its suite declares it."""

    name: str
    title: str
    summary: str
    kind: str
    language: str
    domain: list[str]
    metrics: list[str] = Field(description="the first one ranks")
    labels: list[str]
    license: str
    citation: str
    link: str
    official: bool
    sizes: dict[str, int] = Field(description="split to size, as published")
    counts: str = Field(description="what the sizes count")
    hidden: list[str] = Field(description="splits that are published without their answers")
    trained_on: str | None
    may_skip: bool = Field(description="whether items may be left out")
    coverage: float = Field(description="the share of items that must be answered for a score to rank")
    published_skips: str = Field(description="what published comparisons did with items that a system could not answer")


class SuiteFacts(SuiteLine):
    """A version of a suite with its tasks."""

    terms: list[list[str]] = Field(description="the official mean: each term the mean of its tasks, or of task:metric")
    note: str
    tasks: list[TaskFacts]


class SystemLine(Schema):
    """A system."""

    slug: str
    name: str
    role: str = Field(description="system, trivial or human")
    family: str
    parameters: int | None
    data_gigabytes: float | None
    languages: list[str]
    team: str
    link: str
    open: dict[str, bool | None] = Field(description="weights, code and data; null where unknown")
    added: datetime
    released: str
    """date of its first publication: a year, a month or a day; empty where unknown"""
    address: str = Field(description="its page")


class EntryFacts(Schema):
    """An imported entry of a system."""

    suite: str
    version: str
    kind: str
    source: str
    digest: str
    imported: datetime
    gluepot: str


class MeasurementFacts(Schema):
    """A measurement of a system's speed or size."""

    suite: str
    version: str
    task: str
    quantity: str
    value: float
    low: float | None
    high: float | None
    profile: str = Field(description="the machine")
    reported: float | None = Field(description="what was printed for the same")
    note: str


class SystemFacts(SystemLine):
    """A system with its imported entries and measurements; its scores have an address of their own."""

    card: str = Field(description="the model card, in Markdown")
    entries: list[EntryFacts]
    measurements: list[MeasurementFacts]
    scores: str = Field(description="the address of its scores")


class ScoreFacts(Schema):
    """A score."""

    suite: str
    version: str
    system: str
    name: str
    task: str
    split: str
    metric: str
    slice: str = Field(description="the part of a diagnostic; empty for the whole")
    value: float | None
    low: float | None
    high: float | None
    n: int | None = Field(description="how many items it is over; where some were left out, how many were answered")
    coverage: float | None = Field(description="the share of items that were answered, where a task lets answers out")
    answered: float | None = Field(description="the value over these alone, where the value that ranks is over all items")
    ranked: bool = Field(description="whether enough items were answered for it to rank")
    verified: bool
    method: str = Field(description="what its interval is made from: bootstrap, wilson, iterations; empty where there is none")
    harness: str = Field(description="what made it, with its version, where that is told")
    reason: str = Field(description="why there is no value, or what is known to be wrong with it")
    data: str = Field(description="fingerprint of the files it was scored against")
    current: bool = Field(description="whether the board shows it; false for what a newer one replaced")
    kind: str
    source: str


class SnapshotLine(Schema):
    """A dated snapshot of a page."""

    key: str
    suite: str
    version: str
    query: str
    made: datetime


class SnapshotFacts(SnapshotLine):
    """A snapshot with its document, which never changes."""

    document: dict[str, Any]


class SystemsPage(Page):
    """One page of the list of systems."""

    items: list[SystemLine]


class Scores(Page):
    """One page of the list of scores."""

    items: list[ScoreFacts]


class Snapshots(Page):
    """One page of the list of snapshots, newest first."""

    items: list[SnapshotLine]


NOT_FOUND = {404: ProblemSchema, 422: ProblemSchema}
NOT_VALID = {422: ProblemSchema}
