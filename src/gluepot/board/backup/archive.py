"""Backup archive: a zip with a manifest, one file per table, the stored files, and the board's secret key."""

import zipfile
from pathlib import Path

from msgspec import DecodeError, Struct, ValidationError, json

from gluepot.errors import WrongUse

MANIFEST, KEY = "backup.json", "secret-key"
FORMAT = 1


class BackupContents(Struct, frozen=True):
    """Manifest of a backup: its contents and the columns of its tables."""

    format: int
    gluepot: str
    migrations: list[str]
    tables: dict[str, list[str]]
    sequences: dict[str, int | None]
    files: int


def read_contents(path: Path) -> tuple[BackupContents, str]:
    """Return the manifest and secret key of a backup; raise WrongUse if the file is not one."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = json.decode(archive.read(MANIFEST), type=BackupContents)
            key = archive.read(KEY).decode("ascii")
    except (OSError, zipfile.BadZipFile, KeyError, DecodeError, ValidationError, UnicodeDecodeError) as error:
        raise WrongUse(f"{path}: no backup of a board ({error or type(error).__name__}). `gluepot board backup FILE` makes one.") from error
    if found.format != FORMAT:
        raise WrongUse(f"{path}: a backup of format {found.format}, made by gluepot {found.gluepot}; this one reads format {FORMAT}.")
    return found, key
