"""Inter-rater agreement in vote files of any format, or in the ratings contained in a task's files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from gluepot.metrics.sample import Floats
from gluepot.people.formats import read_votes
from gluepot.people.formats.columns import as_number
from gluepot.people.votes import COUNTED
from gluepot.statistics.agreement import AgreementValue, UnitVotes, measure_agreement, pairwise_mean

MOST_RATERS = 60
"""Maximum number of annotators for pairwise correlations."""


class AgreementReport(Struct, frozen=True, rename={"alpha_interval": "alpha-interval"}):
    """Agreement of the raters of one set."""

    name: str
    items: int
    votes: int
    annotators: int
    spearman: float | None
    pearson: float | None
    alpha_interval: float | None
    pairs: int
    """Number of annotator pairs with a correlation."""
    left_out: int
    """Number of pairs without: they share no items, or too few."""
    agreement: list[AgreementValue]
    format: str = ""


def agreement_of_files(files: Sequence[Path]) -> AgreementReport:
    """Return the agreement of several files read as one set."""
    rows: list[tuple[str, str, Any]] = []
    formats = []
    for path in files:
        table = read_votes([path])
        place = f"{path.name}: " if len(files) > 1 and table.format == "wide table" else ""  # rows of another file are other items
        rows += [(f"{place}{vote.item}", vote.rater, vote.value) for vote in table.votes if vote.kind in COUNTED]
        formats.append(table.format)
    numbers = [as_number(value) for _, _, value in rows]
    if None not in numbers:
        rows = [(item, rater, number) for (item, rater, _), number in zip(rows, numbers, strict=True)]
    return _report(", ".join(path.name for path in files), UnitVotes.of(rows), ", ".join(dict.fromkeys(formats)))


def agreement_of_ratings(name: str, ratings: Floats) -> AgreementReport:
    """Return the agreement of a matrix of numbers with a row per item and a column per rater."""
    return _report(name, UnitVotes.of_table(ratings), "", len(ratings))


def _report(name: str, votes: UnitVotes, taken_for: str, items: int | None = None) -> AgreementReport:
    measures = measure_agreement(votes)
    interval = next((one.value for one in measures if one.measure == "alpha-interval"), None)
    spearman = pearson = None
    if votes.scale is not None and 1 < votes.raters <= MOST_RATERS:
        table = _table(votes)
        spearman, pearson = pairwise_mean(table, "spearman"), pairwise_mean(table, "pearson")
    return AgreementReport(
        name=name,
        items=votes.units if items is None else items,
        votes=len(votes.unit),
        annotators=votes.raters,
        spearman=spearman.value if spearman else None,
        pearson=pearson.value if pearson else None,
        alpha_interval=interval,
        pairs=spearman.pairs if spearman else 0,
        left_out=spearman.left_out if spearman else 0,
        agreement=measures,
        format=taken_for,
    )


def _table(votes: UnitVotes) -> Floats:
    """Return a matrix of each rater's first vote on each unit; NaN if there is none."""
    assert votes.scale is not None
    table = np.full((votes.units, votes.raters), np.nan)
    order = slice(None, None, -1)
    table[votes.unit[order], votes.rater[order]] = votes.scale[votes.value[order]]
    return table
