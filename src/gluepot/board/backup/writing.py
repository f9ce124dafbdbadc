"""Back up a board into one file, whether it is being served or not."""

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile

from django.core.files.storage import default_storage
from django.db.migrations.recorder import MigrationRecorder
from msgspec import json

from gluepot import __version__
from gluepot.board.backup.archive import FORMAT, KEY, MANIFEST, BackupContents
from gluepot.board.backup.tables import FrozenTables, columns, sequences


def migrations() -> list[str]:
    """Return the applied migrations."""
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder.Migration.objects.values_list("app", "name"))


def write_backup(path: Path, secret_key: str) -> BackupContents:
    """Write a backup that only its owner may read; the file is either complete or absent."""
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-", delete=False) as draft:  # mode 600
        try:
            with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
                made = _fill(archive, secret_key)
            draft.flush()
            os.fsync(draft.fileno())
            Path(draft.name).replace(path)
        except BaseException:
            Path(draft.name).unlink(missing_ok=True)
            raise
    return made


def _fill(archive: zipfile.ZipFile, secret_key: str) -> BackupContents:
    with FrozenTables() as snapshot:
        tables = columns()
        for table, names in tables.items():
            with archive.open(f"tables/{table}", "w", force_zip64=True) as kept:
                for piece in snapshot.read(table, names):
                    kept.write(piece)
        steps, counters = migrations(), sequences()
    count = 0
    for name in stored_files():
        with default_storage.open(name, "rb") as stream, archive.open(f"files/{name}", "w", force_zip64=True) as kept:
            while piece := stream.read(2**20):
                kept.write(piece)
        count += 1
    archive.writestr(KEY, secret_key)
    made = BackupContents(FORMAT, __version__, steps, tables, counters, count)
    archive.writestr(MANIFEST, json.encode(made))
    return made


def stored_files(folder: str = "") -> Iterator[str]:
    """Yield the name of every file in the store, recursively."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    yield from (str(PurePosixPath(folder) / name) for name in sorted(files))
    for name in sorted(folders):
        yield from stored_files(str(PurePosixPath(folder) / name))
