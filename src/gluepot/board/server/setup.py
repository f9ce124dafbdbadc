"""Set-up of a board: one folder with its database, files and secret key, and the start of Django on it."""

import gc
import os
import secrets
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from platformdirs import user_data_path

from gluepot.board.server.database import open_database, use_role
from gluepot.board.server.postgres.rights import grant_rights
from gluepot.board.server.postgres.roles import OWNER

FOLDER = "GLUEPOT_BOARD"
KEY = "GLUEPOT_SECRET_KEY"
TURN = 0x7461626C
"""Advisory lock held while tables are migrated: 'tabl'."""


def board_folder(named: Path | None = None) -> Path:
    """Return the given folder, else $GLUEPOT_BOARD, else a folder in the user's data directory."""
    if named is not None:
        return named.resolve()
    if FOLDER in os.environ:
        return Path(os.environ[FOLDER]).resolve()
    return user_data_path("gluepot", appauthor=False) / "board"


def secret_key(folder: Path) -> str:
    """Return the board's secret key, created once and readable by its owner only."""
    path = folder / "secret-key"
    if path.is_file() and not path.stat().st_size:
        path.unlink()  # left empty by an earlier version on a full disk
    if not path.is_file():
        keep_key(folder, secrets.token_urlsafe(50))
    return path.read_text(encoding="ascii")


def keep_key(folder: Path, key: str) -> None:
    """Store a key unless one exists."""
    folder.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", encoding="ascii", dir=folder, prefix=".secret-key-") as draft:
        draft.write(key)
        draft.flush()
        with suppress(FileExistsError):  # of two concurrent first commands, one creates it
            os.link(draft.name, folder / "secret-key")


def open_board(named: Path | None = None, *, role: str = OWNER, migrate: bool = True) -> Path:
    """Start Django on the board's folder and database, as a role; migrate the tables first unless `migrate` is false."""
    folder = board_folder(named)
    os.environ[FOLDER] = str(folder)
    open_database(folder)
    os.environ.setdefault(KEY, secret_key(folder))
    os.environ["DJANGO_SETTINGS_MODULE"] = "gluepot.board.server.settings"
    import django

    django.setup()
    if migrate:
        use_role(OWNER)
        _migrate(folder)
    use_role(role)
    return folder


def open_for_reading(folder: str) -> None:
    """Open the board as a reader in a child process of an open board, which must not have set up Django before.

    The process renders thousands of pages: garbage collection runs rarely, because each run traverses all objects of the pages.
    """
    from gluepot.board.server.postgres.roles import READER

    gc.set_threshold(200_000, 20, 100)
    open_board(Path(folder), role=READER, migrate=False)


def _migrate(folder: Path) -> None:
    """Migrate the tables and grant rights on them, one process at a time."""
    from django.core.management import call_command
    from django.db import Error, connection

    from gluepot.board.server.outages import explained

    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [TURN])
            try:
                call_command("migrate", verbosity=0, interactive=False)
                call_command("createcachetable", verbosity=0)
                grant_rights()
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [TURN])
    except Error as error:
        raise explained(error, folder) from error
