"""Merging of duplicate systems: entries and submissions move to the system that is kept."""

from collections.abc import Sequence

from django.db import transaction

from gluepot.board.importing.storage.entries import bump_revision, update_current_rows
from gluepot.board.models import Entry, System
from gluepot.board.moderation.audit import record
from gluepot.board.submitting.models import Upload


def merge_obstacle(systems: Sequence[System]) -> str:
    """Return the reason why systems cannot be merged; empty if they can."""
    if len(systems) < 2:
        return "Choose two systems or more."
    roles = sorted({system.role for system in systems})
    return f"A {' and a '.join(roles)} are not one system." if len(roles) > 1 else ""


def merge_systems(into: int, others: Sequence[int], moderator: str, reason: str) -> None:
    """Merge systems into one and record it; idempotent, run by a worker."""
    with transaction.atomic():
        found = {system.pk: system for system in System.objects.select_for_update().filter(pk__in=[into, *others])}
        kept = found.pop(into, None)
        if kept is None or not found or merge_obstacle([kept, *found.values()]):
            return
        known = set(kept.entries.values_list("suite_id", "digest"))
        for system in found.values():
            for entry in system.entries.order_by("pk"):
                if (entry.suite_id, entry.digest) not in known:  # entries with identical content are kept once
                    Entry.objects.filter(pk=entry.pk).update(system=kept)
                    known.add((entry.suite_id, entry.digest))
            Upload.objects.filter(system=system).update(system=kept)
            record(moderator, "merged systems", kept.slug, gone=system.slug, name=system.name, reason=reason)
            system.delete()
        update_current_rows(kept)
        bump_revision()
