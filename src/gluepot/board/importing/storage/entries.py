"""Atomic storage of an entry, and selection of the numbers that the board shows."""

from collections.abc import Sequence
from time import monotonic

import msgspec
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.models import F

from gluepot import __version__
from gluepot.board.importing.drafts import Change, Draft, DraftAnswers, ImportedEntry, clean
from gluepot.board.importing.storage.changes import changes_between, shown_numbers
from gluepot.board.importing.storage.coverage import set_reported_coverage
from gluepot.board.importing.storage.reported_intervals import add_wilson, bound_by_items, name_methods
from gluepot.board.importing.systems.aliases import merge_aliases
from gluepot.board.importing.systems.joining import RefusedEntry, joined_system
from gluepot.board.models import Answers, Entry, Measurement, Revision, Score, Stated, SuiteVersion, System
from gluepot.records import Suite

TURN = 0x676C7565
"""Key of the PostgreSQL advisory lock that importers take: 'glue'."""


def store(draft: Draft, started: float, path: str = "", *, replace: bool = False) -> tuple[ImportedEntry, list[Change]]:
    """Store one entry in one transaction and return it with the shown numbers that it changes; existing content is left unchanged.

    Raises RefusedEntry where the numbers may belong to another system, or where some would change and `replace` is not set.
    """
    written: list[str] = []
    changes: list[Change] = []
    try:
        with transaction.atomic():
            _take_turns()
            system, version = joined_system(draft, replace=replace), stored_version(draft.suite)
            entry = Entry.objects.filter(system=system, suite=version, digest=draft.digest).first()
            fresh, before = entry is None or entry.superseded, shown_numbers(system)
            if merge_aliases(system, draft) or fresh:
                if entry is None:
                    _write(draft, system, version, written)
                elif fresh:  # reinstate it
                    Entry.objects.filter(pk=entry.pk).update(superseded=False)
                update_current_rows(system)
                after = shown_numbers(system)
                changes = list(changes_between(system.name, before, after, path or draft.source, replaced=replace))
                if changes and not replace:
                    raise OverwriteError(system.name, changes)
                bump_revision()
    except BaseException:
        for name in written:
            default_storage.delete(name)
        raise
    return _line(draft, system.name, started, fresh=fresh, replaced=len(changes)), changes


class OverwriteError(RefusedEntry):
    """Error raised for an entry that would change numbers shown on the board."""

    def __init__(self, system: str, changes: list[Change]) -> None:
        count = f"{len(changes):,} numbers" if len(changes) > 1 else "a number"
        hint = "--replace shows the new ones; --name brings this as a system of its own."
        super().__init__("changed-score", f"{system}: not imported, because it would change {count} that the board shows.", hint)
        self.changes = changes


def _line(draft: Draft, system: str, started: float, *, fresh: bool, replaced: int) -> ImportedEntry:
    verified = sum(score.verified for score in draft.scores)
    reported = sum(not score.verified and score.value is not None for score in draft.scores)
    return ImportedEntry(
        draft.kind,
        system,
        f"{draft.suite.name} {draft.suite.version}",
        clean(draft.source),
        "imported" if fresh else "already there",
        verified,
        reported,
        len(draft.measurements),
        round(monotonic() - started, 3),
        replaced,
    )


def _take_turns() -> None:
    """Serialise imports across processes, entry by entry, so that names and slugs are assigned only once."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [TURN])


def stored_version(suite: Suite) -> SuiteVersion:
    """Return the suite version, declared as it was when its first result was imported."""
    declaration = msgspec.to_builtins(suite)
    return SuiteVersion.objects.get_or_create(name=suite.name, version=suite.version, defaults={"declaration": declaration})[0]


def _write(draft: Draft, system: System, version: SuiteVersion, written: list[str]) -> None:
    entry = Entry.objects.create(
        system=system,
        suite=version,
        kind=draft.kind,
        source=clean(draft.source)[:300],
        digest=draft.digest,
        gluepot=__version__,
        details=clean(draft.details),
    )
    set_reported_coverage(draft.suite, draft.scores)
    add_wilson(draft.suite.tasks, draft.scores, people=system.role == System.Role.HUMAN)
    bound_by_items(draft.suite.tasks, draft.scores)
    name_methods(draft.scores)
    for score in draft.scores:
        if score.verified:
            score.harness = f"gluepot {__version__}"
    rows: Sequence[Score | Stated | Measurement] = [*draft.scores, *draft.stated, *draft.measurements]
    for row in rows:
        row.entry = entry
    Score.objects.bulk_create(draft.scores)
    Stated.objects.bulk_create(draft.stated)
    Measurement.objects.bulk_create(draft.measurements)
    for file in draft.files:
        name = _save(f"answers/{version.name}/{system.slug}/{draft.digest[:12]}", file)
        written.append(name)
        Answers.objects.create(entry=entry, task=file.task, split=file.split, seed=file.seed, file=name, merits=file.merits)


def _save(folder: str, file: DraftAnswers) -> str:
    name = f"{folder}/{file.task}-{file.split}-{file.seed}.jsonl.gz"
    if default_storage.exists(name):  # left by an interrupted import
        default_storage.delete(name)
    return default_storage.save(name, ContentFile(file.data))


_CURRENT = """
UPDATE board_{table} AS row SET current = ranked.place = 1 AND NOT ranked.superseded
FROM (
    SELECT one.id, entry.superseded, row_number() OVER (
        PARTITION BY entry.suite_id, {key} ORDER BY entry.superseded, {order} entry.imported DESC, one.id DESC
    ) AS place
    FROM board_{table} AS one JOIN board_entry AS entry ON entry.id = one.entry_id
    JOIN board_suiteversion AS suite ON suite.id = entry.suite_id
    WHERE entry.system_id = %(system)s
) AS ranked
WHERE row.id = ranked.id AND row.current IS DISTINCT FROM (ranked.place = 1 AND NOT ranked.superseded)
"""
_SUPPORT = """
ranked DESC, (coverage IS NULL OR coverage >= 1) DESC, (verified OR harness = '' OR harness LIKE '%% ' || suite.version) DESC,
(low IS NOT NULL) DESC,
(CASE WHEN verified THEN NULL ELSE string_to_array(substring(harness from '[0-9]+(?:[.][0-9]+)*$'), '.')::numeric[] END)
DESC NULLS LAST,
"""
"""Of two reported or two computed scores, the better supported one is shown: ranked, complete, of the suite's own version, with an
interval, of a newer harness."""
_SETTLED = {
    "score": ("task, split, metric, slice", f"(value IS NOT NULL) DESC, verified DESC, {_SUPPORT}"),
    "answers": ("task, split, seed", ""),
    "measurement": ("task, quantity, profile", ""),
}
"""Keys with one current row each, and its order of preference: with a value, computed, better supported, newest."""


def update_current_rows(system: System) -> None:
    """Mark the rows of a system that the board shows."""
    with connection.cursor() as cursor:
        for table, (key, order) in _SETTLED.items():
            cursor.execute(_CURRENT.format(table=table, key=key, order=order), {"system": system.pk})


def bump_revision() -> None:
    """Increment the revision, which invalidates everything rendered before."""
    Revision.objects.get_or_create(pk=1)
    Revision.objects.filter(pk=1).update(number=F("number") + 1)
