"""Published results of a suite, as printed, and their known errors."""

import tomllib
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

from gluepot.records import Suite


class PublishedResult(Struct, frozen=True, forbid_unknown_fields=True):
    """One cell of a published table."""

    source: str
    model: str
    task: str
    """Task, part of the suite that is averaged first, or `overall`."""
    split: str
    metric: str
    value: float
    slice: str | None = None
    n: int | None = None
    scale: float = 1.0
    """Divisor that converts the printed value to the metric's scale."""
    decimals: int = 3
    """Decimal places printed in the source."""
    statistic: str | None = None
    """Statistic of a table of several runs: mean, half-width or rank; None for a score."""


class KnownError(Struct, frozen=True, forbid_unknown_fields=True):
    """Reason why printed cells differ from the recomputed values, or cannot be recomputed."""

    reason: str
    source: str | None = None
    model: str | None = None
    task: str | None = None
    metric: str | None = None
    statistic: str | None = None

    def covers(self, cell: PublishedResult) -> bool:
        return all(
            mine is None or mine == theirs
            for mine, theirs in (
                (self.source, cell.source),
                (self.model, cell.model),
                (self.task, cell.task),
                (self.metric, cell.metric),
                (self.statistic, cell.statistic),
            )
        )


class Errata(Struct, frozen=True, forbid_unknown_fields=True):
    """Errata of a suite (`errata.toml`): known errors, cells that cannot be recomputed, and notes on whole tables."""

    known: list[KnownError] = []
    unavailable: list[KnownError] = []
    notes: list[str] = []

    def explain(self, cell: PublishedResult) -> str | None:
        return next((known.reason for known in self.known if known.covers(cell)), None)

    def excuse(self, cell: PublishedResult) -> str | None:
        """Return the reason why a cell cannot be recomputed, or None."""
        return next((known.reason for known in self.unavailable if known.covers(cell)), None)

    def remark(self, cell: PublishedResult) -> str | None:
        """Return the known error of this cell; errors of a whole table (such as its rounding) are excluded."""
        return next((known.reason for known in self.known if known.model is not None and known.covers(cell)), None)


def load_published(suite: Suite) -> list[PublishedResult]:
    """Return all published cells of a suite, in printed order."""
    path = Path(suite.folder) / "published.jsonl"
    return msgspec.json.Decoder(PublishedResult).decode_lines(path.read_bytes()) if path.is_file() else []


def load_errata(suite: Suite) -> Errata:
    path = Path(suite.folder) / "errata.toml"
    return _read_errata(path, path.stat().st_mtime_ns) if path.is_file() else Errata()


@lru_cache(maxsize=32)
def _read_errata(path: Path, _changed: int) -> Errata:
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Errata)
