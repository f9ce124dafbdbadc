"""Database outages and full disks: an error message on the command line, status 503 on the site."""

import logging
import os
import shutil
from pathlib import Path
from typing import TypeGuard

from django.db import Error, InterfaceError, OperationalError

from gluepot.board.server.database import URL
from gluepot.errors import GluepotError

ROOM = 17 * 2**20
"""Free bytes below which PostgreSQL cannot create another WAL file, of 16 MiB, and exits."""
RETRY = 5
"""Seconds after which a visitor may retry."""
FULL = "No space left on device"


def is_outage(error: BaseException | None) -> TypeGuard[Error]:
    """Whether the database is unavailable, rather than rejecting a query."""
    return isinstance(error, OperationalError | InterfaceError)


def explained(error: Error, folder: Path) -> GluepotError:
    """Return an error with the cause and the next step."""
    why = " ".join(str(error).split()).rstrip(".")
    if FULL in why or (is_outage(error) and not os.environ.get(URL) and shutil.disk_usage(folder).free < ROOM):
        return GluepotError(f"{folder}: the disk is full ({why}). What was stored before is kept; make room and run the command again.")
    if is_outage(error) and os.environ.get(URL):
        return GluepotError(f"the board's database does not answer: {why}. Check {URL}, or leave it out for an embedded one.")
    if is_outage(error):
        message = f"the board's database was lost ({why}). What was stored before is kept; run the command again, which starts it anew."
        return GluepotError(f"{folder}: {message}")
    return GluepotError(f"the board's database refuses: {why}.")


class OutageFilter(logging.Filter):
    """Filter that drops the log records of an outage, thousands of tracebacks: the process that restarts the database reports it."""

    def filter(self, record: logging.LogRecord) -> bool:
        failure = record.exc_info[1] if record.exc_info else None
        of_queue = type(failure).__name__ == "ConnectorException"  # by name: only workers import it
        return getattr(record, "status_code", None) != 503 and not of_queue
