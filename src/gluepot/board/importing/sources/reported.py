"""Import of published results: every printed cell of a system as a reported score with its source."""

from collections.abc import Iterator

from gluepot.board.importing.drafts import Draft, digest_of
from gluepot.board.models import Entry, Measurement, Score
from gluepot.records import Suite
from gluepot.tasks.declarations import load_suites
from gluepot.tasks.published_results import PublishedResult, load_errata, load_published
from gluepot.tasks.systems import find_system, load_systems

QUANTITIES = {"throughput": "throughput", "memory-gib": "memory"}
"""Printed metrics that are not scores, with their names on the board."""


def published_drafts(owner: str) -> Iterator[Draft]:
    """Yield one entry per system and source, over all suites."""
    for suite in load_suites():
        skipped = load_systems(suite.name).not_systems
        cells: dict[tuple[str, str], list[PublishedResult]] = {}
        for cell in load_published(suite):
            if cell.model not in skipped and cell.statistic is None:  # aggregates are in the records that the board reads
                cells.setdefault((cell.model, cell.source), []).append(cell)
        for (model, source), printed in cells.items():
            yield _draft(suite, model, source, printed, owner)


def _draft(suite: Suite, model: str, source: str, cells: list[PublishedResult], owner: str) -> Draft:
    errata, profile = load_errata(suite), str(suite.protocol.get("efficiency", {}).get("profile", "as printed"))
    reasons = [errata.remark(cell) or "" for cell in cells]
    draft = Draft(suite, find_system(suite.name, model), Entry.Kind.PRINT, source, digest_of("print", cells, reasons), "declared")
    draft.owner, draft.details = owner, {"model": model}
    for cell, reason in zip(cells, reasons, strict=True):
        if cell.metric in QUANTITIES:
            draft.measurements.append(
                Measurement(
                    task=cell.task,
                    quantity=QUANTITIES[cell.metric],
                    value=cell.value / cell.scale,
                    profile=profile,
                    reported=cell.value / cell.scale,
                    note=source,
                )
            )
            continue
        draft.scores.append(
            Score(
                task=cell.task,
                split=cell.split,
                metric=cell.metric,
                slice=cell.slice or "",
                value=cell.value / cell.scale,
                n=cell.n,
                verified=False,
                reason=reason,
            )
        )
    return draft
