"""Where a board lives: one folder with its database, its files and its key; and the start of Django on it."""

import os
import secrets
from pathlib import Path

from gluepot.board.database import URL, database_url
from gluepot.errors import GluepotError

FOLDER = "GLUEPOT_BOARD"
KEY = "GLUEPOT_SECRET_KEY"


def board_folder(named: Path | None = None) -> Path:
    """The folder that was named, or $GLUEPOT_BOARD, or one in the user's data folder."""
    if named is not None:
        return named.resolve()
    if FOLDER in os.environ:
        return Path(os.environ[FOLDER]).resolve()
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return data / "gluepot" / "board"


def secret_key(folder: Path) -> str:
    """The board's own key, made once and readable by its owner alone."""
    path = folder / "secret-key"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(50), encoding="ascii")
    return path.read_text(encoding="ascii")


def open_board(named: Path | None = None, *, migrate: bool = True) -> Path:
    """Start Django on the board's folder and database, bringing its tables up to date."""
    folder = board_folder(named)
    os.environ[FOLDER] = str(folder)
    os.environ[URL] = database_url(folder)
    os.environ.setdefault(KEY, secret_key(folder))
    os.environ["DJANGO_SETTINGS_MODULE"] = "gluepot.board.settings"
    import django
    from django.core.management import call_command
    from django.db import OperationalError

    django.setup()
    try:
        if migrate:
            call_command("migrate", verbosity=0, interactive=False)
    except OperationalError as error:
        why = " ".join(str(error).split())
        raise GluepotError(f"the board's database does not answer: {why} Check {URL}, or leave it out for an embedded one.") from error
    return folder
