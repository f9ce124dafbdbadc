"""Where a board lives: one folder with its database, its files and its key; and the start of Django on it."""

import gc
import os
import secrets
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from platformdirs import user_data_path

from gluepot.board.server.database import become, open_database
from gluepot.board.server.postgres.rights import grant_rights
from gluepot.board.server.postgres.roles import OWNER

FOLDER = "GLUEPOT_BOARD"
KEY = "GLUEPOT_SECRET_KEY"
TURN = 0x7461626C
"""The lock in PostgreSQL of who makes or changes the tables: 'tabl'."""


def board_folder(named: Path | None = None) -> Path:
    """The folder that was named, or $GLUEPOT_BOARD, or one in the user's data folder."""
    if named is not None:
        return named.resolve()
    if FOLDER in os.environ:
        return Path(os.environ[FOLDER]).resolve()
    return user_data_path("gluepot", appauthor=False) / "board"


def secret_key(folder: Path) -> str:
    """The board's own key, made once and readable by its owner alone."""
    path = folder / "secret-key"
    if path.is_file() and not path.stat().st_size:
        path.unlink()  # an earlier version left it so on a full disk
    if not path.is_file():
        keep_key(folder, secrets.token_urlsafe(50))
    return path.read_text(encoding="ascii")


def keep_key(folder: Path, key: str) -> None:
    """Write a key down, unless there is one."""
    folder.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", encoding="ascii", dir=folder, prefix=".secret-key-") as draft:
        draft.write(key)
        draft.flush()
        with suppress(FileExistsError):  # of two first commands at once, one makes it
            os.link(draft.name, folder / "secret-key")


def open_board(named: Path | None = None, *, role: str = OWNER, migrate: bool = True) -> Path:
    """Start Django on the board's folder and database, bringing its tables up to date; who only reads says so."""
    folder = board_folder(named)
    os.environ[FOLDER] = str(folder)
    open_database(folder)
    os.environ.setdefault(KEY, secret_key(folder))
    os.environ["DJANGO_SETTINGS_MODULE"] = "gluepot.board.server.settings"
    import django

    django.setup()
    if migrate:
        become(OWNER)
        _migrate(folder)
    become(role)
    return folder


def open_for_reading(folder: str) -> None:
    """The same in a process that an open board has started, which must know nothing of Django before.

    It makes thousands of pages: garbage is looked for now and then only, because each look goes through all that pages are made of.
    """
    from gluepot.board.server.postgres.roles import READER

    gc.set_threshold(200_000, 20, 100)
    open_board(Path(folder), role=READER, migrate=False)


def _migrate(folder: Path) -> None:
    """Bring the tables up to date, one process after the other."""
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
