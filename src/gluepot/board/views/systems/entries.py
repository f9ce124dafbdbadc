"""Provenance of a system's scores: its imports, each with the metadata that it reports."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gluepot.board.models import Entry, System
from gluepot.board.templatetags.shown import number

MOST = 5
"""Maximum number of notices shown per entry."""


@dataclass(frozen=True)
class EntrySource:
    """An imported entry."""

    suite: str
    version: str
    kind: str
    source: str
    imported: datetime
    gluepot: str
    scores: int
    current: int
    """Number of its scores that the board shows."""
    remarks: list[str]


def kind_title(kind: str) -> str:
    """Return the translated name of a kind of entry."""
    titles = {"run": _("run"), "submission": _("submission"), "record": _("record file"), "print": _("in print"), "timing": _("timing")}
    return titles.get(kind, kind)


def list_sources(system: System) -> list[EntrySource]:
    """Return all entries of a system, the newest first."""
    rows = system.entries.annotate(
        found=Count("scores", filter=Q(scores__slice="")), shown=Count("scores", filter=Q(scores__slice="", scores__current=True))
    )
    rows = rows.select_related("suite").defer("suite__declaration")
    return [
        EntrySource(
            row.suite.name,
            row.suite.version,
            kind_title(row.kind),
            row.source,
            row.imported,
            row.gluepot,
            row.found,
            row.shown,
            list(remarks(row)),
        )
        for row in rows.order_by("-imported", "-pk")
    ]


def remarks(entry: Entry) -> Iterator[str]:
    """Yield time, cost, machine, seeds and notices, as far as the entry reports them."""
    told = entry.details if isinstance(entry.details, dict) else {}
    yield from _spent(told)
    manifest = _record(told, "manifest")
    identity, machine = _record(manifest, "identity"), _record(manifest, "machine")
    if seeds := identity.get("seeds"):
        yield ngettext("seed %(seeds)s", "seeds %(seeds)s", len(seeds)) % {"seeds": ", ".join(map(str, seeds))}
    if protocol := identity.get("protocol"):
        yield _("protocol %(name)s") % {"name": protocol}
    if machine:
        yield ", ".join(f"{name} {value}" for name, value in machine.items())
    if versions := told.get("versions"):
        yield ", ".join(map(str, versions))
    if (shots := told.get("few_shot")) is not None:
        yield _("few-shot") if shots is True else _("zero-shot") if not shots else str(shots)
    if times := told.get("scored_in_private"):
        said = ngettext("scored once in private", "scored %(times)s times in private", times)
        yield said % {"times": number(times)}
    if told.get("ran_here"):
        yield _("ran here")
    if problems := told.get("problems"):
        yield ngettext("%(count)s problem in its files", "%(count)s problems in its files", problems) % {"count": number(problems)}
    yield from map(str, (told.get("notices") or [])[:MOST])


def _spent(told: dict[str, Any]) -> Iterator[str]:
    seconds = told.get("seconds")
    total = sum(seconds.values()) if isinstance(seconds, dict) else seconds
    if isinstance(total, int | float) and total:
        yield _("%(seconds)s s of computing") % {"seconds": number(total, 1)}
    if cost := told.get("cost"):
        yield _("cost: %(cost)s") % {"cost": cost}


def _record(told: dict[str, Any], name: str) -> dict[str, Any]:
    found = told.get(name)
    return found if isinstance(found, dict) else {}
