"""Restore a board from a backup into an empty folder or database."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

from django.core.files.storage import default_storage
from django.db import connection, transaction

from gluepot.board.backup.archive import BackupContents, read_contents
from gluepot.board.backup.tables import columns, empty, in_order, sequences, set_sequences, set_triggers, write
from gluepot.board.backup.writing import migrations, stored_files
from gluepot.errors import WrongUse

OWN = ("django_migrations", "django_content_type", "auth_permission", "procrastinate_version")
"""Tables that have rows in a new board."""


def restore(path: Path) -> BackupContents:
    """Restore the tables, in one transaction, and the files; the board must be empty and of the same version."""
    manifest, _ = read_contents(path)
    _check(path, manifest)
    with zipfile.ZipFile(path) as archive:
        with transaction.atomic():
            tables = in_order(manifest.tables)
            set_triggers(tables, enabled=False)
            empty(tables)
            for table in tables:
                write(table, manifest.tables[table], _pieces(archive, f"tables/{table}"))
            set_sequences(manifest.sequences)
            _settle()
            set_triggers(tables, enabled=True)
        _put_files(path, archive)
    return manifest


def _settle() -> None:
    """Check all references immediately; a table with deferred checks pending cannot be altered."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def _check(path: Path, manifest: BackupContents) -> None:
    strange = sorted(set(manifest.migrations) ^ set(migrations()))
    if strange or columns() != manifest.tables or set(manifest.sequences) != set(sequences()):
        hint = f"Install gluepot {manifest.gluepot}, restore, then upgrade: the tables are brought up to date at the next start."
        raise WrongUse(f"{path}: its tables are not those of this version ({', '.join(strange[:3]) or 'other columns'}). {hint}")
    if full := [table for table in manifest.tables if table not in OWN and _has_rows(table)]:
        raise WrongUse(f"there is a board here already ({', '.join(sorted(full)[:3])} have rows). Restore into a new folder or database.")
    if next(stored_files(), None) is not None:
        raise WrongUse("there are files in the store already. Restore into an empty one.")


def _has_rows(table: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT EXISTS (SELECT 1 FROM {connection.ops.quote_name(table)})")  # noqa: S608  a name of our own
        return bool(cursor.fetchone()[0])


def _pieces(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    with archive.open(name) as stream:
        while piece := stream.read(2**20):
            yield piece


def _put_files(path: Path, archive: zipfile.ZipFile) -> None:
    for entry in archive.infolist():
        if entry.filename.startswith("files/") and not entry.is_dir():
            name = entry.filename.removeprefix("files/")
            with archive.open(entry) as stream:
                kept = default_storage.save(name, stream)
            if kept != name:
                raise WrongUse(f"{path}: {name} is in the store already.")
