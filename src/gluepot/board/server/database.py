"""The board's PostgreSQL database: an embedded server in the board's folder, or the server in GLUEPOT_DATABASE_URL."""

import os
import sys
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

from dj_database_url import ParseError, UnknownSchemeError, parse

from gluepot.board.server.postgres.roles import OWNER
from gluepot.board.server.postgres.server import Server
from gluepot.errors import GluepotError, WrongUse

URL = "GLUEPOT_DATABASE_URL"
NAME = "gluepot"
ENGINE = "django.db.backends.postgresql"
_server: Server | None = None


def open_database(folder: Path) -> None:
    """Start the embedded server unless a database URL is set; it stops with the last process that uses it."""
    global _server
    if os.environ.get(URL) or (_server is not None and _server.is_of(folder)):
        return
    server = Server(folder, NAME)
    server.open()
    _server = server


def close_database() -> None:
    """Release the embedded server before the process exits."""
    global _server
    if _server is not None:
        _server.close()
    _server = None


def keep_database() -> None:
    """From now on, restart the embedded server whenever it ends while in use."""
    if _server is not None:
        Thread(target=_keep, args=[_server], daemon=True).start()


def _keep(server: Server) -> None:
    pause = 1
    while server.held:
        server.wait_for_end()
        if not server.held:
            return
        print("the database was lost; it is started again.", file=sys.stderr, flush=True)
        try:
            server.start()
            pause = 1
        except (GluepotError, OSError) as error:
            print(f"{error} Next try in {pause} s.", file=sys.stderr, flush=True)
            sleep(pause)
            pause = min(2 * pause, 30)


def use_role(role: str) -> None:
    """Connect as this role from now on, in all threads; a database URL sets its own role."""
    from django.db import connection

    connection.close()
    if _server is not None:
        connection.settings_dict["USER"] = role  # the shared settings, from which every thread makes its connection


def database_settings() -> dict[str, Any]:
    """Return Django's settings for the open embedded database, as the owner of its tables, or for the configured URL."""
    if _server is not None:
        words = _server.address(OWNER)
        names = {"NAME": "dbname", "USER": "user", "HOST": "host", "PORT": "port"}
        found: dict[str, Any] = {theirs: words.pop(name) for theirs, name in names.items()}
        found |= {"PASSWORD": "", "OPTIONS": words}
    else:
        found = connection_settings(os.environ.get(URL) or f"postgresql:///{NAME}")
    found["OPTIONS"].setdefault("connect_timeout", "10")
    return {**found, "ENGINE": ENGINE, "CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": True}


def connection_settings(url: str) -> dict[str, Any]:
    """Convert a PostgreSQL URL to Django's connection settings.

    >>> connection_settings("postgresql://ann:s%40fe@db.example:5433/board")["PASSWORD"]
    's@fe'
    >>> connection_settings("postgresql://postgres:@/gluepot?host=/tmp/x")["OPTIONS"]
    {'host': '/tmp/x'}
    """
    try:
        found = parse(url)
    except (UnknownSchemeError, ParseError):
        found = {}
    if found.get("ENGINE") != ENGINE:
        raise WrongUse(f"{URL}: a PostgreSQL address is needed: postgresql://user:password@host:5432/database.")
    return {**found, "NAME": found["NAME"] or NAME, "OPTIONS": found.get("OPTIONS", {})}
