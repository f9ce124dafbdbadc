"""Accepted findings: known findings that a suite accepts, with reasons, from `accepted.toml` beside its declaration."""

import tomllib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec

from gluepot.data.checks.findings import CODES, Finding
from gluepot.errors import WrongUse, unknown
from gluepot.records import Suite


class AcceptedFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One accepted finding, with the reason."""

    code: str
    task: str
    reason: str
    split: str | None = None
    """Split the entry applies to; all of them if omitted."""
    count: int | dict[str, int] | None = None
    """Largest accepted count, in total or by split; a larger finding is new."""

    def covers(self, finding: Finding) -> bool:
        """Return whether this entry applies to a finding that has not grown.

        >>> entry = AcceptedFinding("duplicate", "nli", "MNLI has them.", count={"dev": 5})
        >>> [entry.covers(Finding("duplicate", "faroe/nli", "dev", "…", count)) for count in (5, 6)]
        [True, False]
        """
        if (self.code, self.task) != (finding.code, finding.task.split("/")[-1]) or self.split not in (None, finding.split):
            return False
        most = self.count.get(finding.split or "", 0) if isinstance(self.count, dict) else self.count
        return most is None or finding.count <= most


class _Page(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    accepted: list[AcceptedFinding] = []


def load_accepted(suite: Suite) -> list[AcceptedFinding]:
    """Return the accepted findings of a suite, or an empty list if it has no `accepted.toml`."""
    path = Path(suite.folder) / "accepted.toml"
    if not path.is_file():
        return []
    place = f"{suite.name}/accepted.toml"
    try:
        entries = _read(path, path.stat().st_mtime_ns)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise WrongUse(f"{place}: {error}") from error
    for entry in entries:
        _check(place, entry, suite)
    return entries


@lru_cache(maxsize=32)
def _read(path: Path, _changed: int) -> list[AcceptedFinding]:
    """Parse the file, cached until it changes: pages of a board request it by the thousand."""
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _Page).accepted


def _check(place: str, entry: AcceptedFinding, suite: Suite) -> None:
    if entry.code not in CODES:
        raise WrongUse(f"{place}: {unknown('finding', entry.code, CODES)}")
    if entry.task not in suite.tasks:
        raise WrongUse(f"{place}: {unknown('task', entry.task, suite.tasks)}")
    if not entry.reason.strip():
        raise WrongUse(f"{place}: {entry.task} {entry.code}: a reason is needed.")


def accept(findings: Iterable[Finding], entries: list[AcceptedFinding]) -> list[Finding]:
    """Mark each finding that an entry covers as accepted, with its reason."""
    return [_accept(finding, entries) for finding in findings]


def _accept(finding: Finding, entries: list[AcceptedFinding]) -> Finding:
    reason = next((entry.reason for entry in entries if entry.covers(finding)), None)
    return finding if reason is None or finding.severity == "note" else msgspec.structs.replace(finding, accepted=reason)
