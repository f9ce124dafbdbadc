"""A database that does not answer, or a disk that is full: a sentence for whoever runs a command, 503 for visitors."""

import logging
import os
import shutil
from pathlib import Path
from typing import TypeGuard

from django.db import Error, InterfaceError, OperationalError

from gluepot.board.server.database import URL
from gluepot.errors import GluepotError

ROOM = 17 * 2**20
"""Bytes below which PostgreSQL cannot begin another file of its log, of 16 MiB, and ends."""
RETRY = 5
"""Seconds after which a visitor may try again."""
FULL = "No space left on device"


def is_outage(error: BaseException | None) -> TypeGuard[Error]:
    """Whether the database is away, rather than asked something wrong."""
    return isinstance(error, OperationalError | InterfaceError)


def explained(error: Error, folder: Path) -> GluepotError:
    """What happened, and what to do."""
    why = " ".join(str(error).split()).rstrip(".")
    if FULL in why or (is_outage(error) and not os.environ.get(URL) and shutil.disk_usage(folder).free < ROOM):
        return GluepotError(f"{folder}: the disk is full ({why}). What was stored before is kept; make room and run the command again.")
    if is_outage(error) and os.environ.get(URL):
        return GluepotError(f"the board's database does not answer: {why}. Check {URL}, or leave it out for an embedded one.")
    if is_outage(error):
        message = f"the board's database was lost ({why}). What was stored before is kept; run the command again, which starts it anew."
        return GluepotError(f"{folder}: {message}")
    return GluepotError(f"the board's database refuses: {why}.")


class WithoutOutages(logging.Filter):
    """Keeps one line of an outage, of thousands of tracebacks, out of the log: who starts the database again tells of it."""

    def filter(self, record: logging.LogRecord) -> bool:
        failure = record.exc_info[1] if record.exc_info else None
        of_queue = type(failure).__name__ == "ConnectorException"  # which only workers import
        return getattr(record, "status_code", None) != 503 and not of_queue
