"""A process's share in the embedded server, which starts with the first share and stops with the last one."""

import atexit
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import gluepot
from gluepot.board.server.postgres.access import check_folder, user_name
from gluepot.board.server.postgres.locks import EXCLUSIVE, SHARED, open_lock, opened, take, try_to_take
from gluepot.board.server.postgres.roles import SUPERUSER, make_roles
from gluepot.board.server.postgres.supervisor import LOCK, SOCKET, USERS
from gluepot.errors import GluepotError

PATIENCE = 60.0
"""Seconds to wait for a server that neither answers nor exits."""
LONGEST_ADDRESS = 107 if sys.platform == "linux" else 103
"""Maximum bytes of a socket's path."""


class Server:
    """The server of one board, as used by one process."""

    def __init__(self, folder: Path, database: str) -> None:
        self.data, self.place, self.database = folder / "database", folder / "server", database
        self._owner = os.getpid()
        self._users: int | None = None
        self._folder: int | None = None

    def open(self) -> None:
        """Take a share and wait until the server answers; the share ends with this process at the latest."""
        try:
            self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._users = open_lock(self.place / USERS)
        except PermissionError as error:
            raise GluepotError(f"{error.filename}: not yours to use ({_owner(self.place)}). Choose another board with --dir.") from error
        take(self._users, SHARED)  # waits while a server is being stopped
        atexit.register(self.close)
        self.start()

    @property
    def held(self) -> bool:
        """Whether this process holds a share."""
        return self._users is not None

    def is_of(self, folder: Path) -> bool:
        """Whether this process already uses that board; a forked process takes its own share."""
        return self.held and self.place == folder / "server" and os.getpid() == self._owner

    def start(self) -> None:
        """Start the server if it is not running, and return when it answers."""
        end = monotonic() + PATIENCE
        while True:
            if not self.is_supervised():
                self._supervise()
            why = self._refusal()
            if why is None:
                return
            if monotonic() > end:
                raise GluepotError(f"{self.data}: the embedded PostgreSQL does not answer: {why}. Its log is {self.place / 'log'}.")
            sleep(0.02)

    def is_supervised(self) -> bool:
        """Whether a supervisor is running, even if its server is not ready yet or no longer."""
        with opened(self.place / LOCK) as lock:
            return not try_to_take(lock, SHARED)

    def wait_for_end(self) -> None:
        """Wait until no supervisor, and thus no server, is running."""
        with opened(self.place / LOCK) as lock:
            take(lock, SHARED)

    @property
    def host(self) -> str:
        """The socket's folder for libpq, which accepts no long paths and splits at commas."""
        plain = os.fsencode(self.data / SOCKET)
        if len(plain) <= LONGEST_ADDRESS and b"," not in plain:
            return str(self.data)
        if not Path("/proc/self/fd").is_dir():
            raise GluepotError(f"{self.data}: this path is too long for a socket, or has a comma. Choose another folder with --dir.")
        if self._folder is None:
            self._folder = os.open(self.data, os.O_RDONLY | os.O_DIRECTORY)
        return f"/proc/self/fd/{self._folder}"

    def close(self) -> None:
        """Release the share; the last process waits for the server to stop."""
        if self._users is None or os.getpid() != self._owner:  # a forked process holds the same share
            return
        atexit.unregister(self.close)
        os.close(self._users)
        self._users = None
        with suppress(KeyboardInterrupt, OSError):  # or the folder is gone; the supervisor stops the server anyway
            self._wait_if_last()

    def _supervise(self) -> None:
        """Start a supervisor, which closes the pipe when the server is ready, or writes the reason of a failure."""
        root = str(Path(gluepot.__file__).parents[1])
        known = os.environ.get("PYTHONPATH")
        words = [sys.executable, "-P", "-m", "gluepot.board.server.postgres.supervisor", str(self.data), str(self.place)]
        told = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C must reach this process only
            env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{known}" if known else root},
        ).stdout.decode("utf-8", "replace")
        if told.strip():
            why = told.strip().splitlines()[-1].rstrip(".")
            raise GluepotError(f"{self.data}: the embedded PostgreSQL does not start: {why}.")

    def _refusal(self) -> str | None:
        """Return None if the database is ready, else the reason."""
        import psycopg

        if not self.data.is_dir():
            return "there is no data yet"
        check_folder(self.data, os.geteuid() or self.data.stat().st_uid)
        try:
            make_roles(lambda database: psycopg.connect(**self.address(SUPERUSER, database), autocommit=True), self.database)
        except psycopg.OperationalError as error:
            return " ".join(str(error).split()).rstrip(".")
        return None

    def address(self, role: str, database: str | None = None) -> dict[str, Any]:
        """Return the libpq parameters to connect as a role, accepting only a server run by the owner of the data."""
        owner = user_name(self.data.stat().st_uid)
        found = {"host": self.host, "port": 5432, "user": role, "dbname": database or self.database, "connect_timeout": 10}
        return found | ({"requirepeer": owner} if owner else {})

    def _wait_if_last(self) -> None:
        end, seen = monotonic() + PATIENCE, 0
        while monotonic() < end and seen < 3 and self.is_supervised():
            seen = seen + 1 if self._is_shared() else 0  # three times, because a check briefly takes a share too
            sleep(0.02)

    def _is_shared(self) -> bool:
        """Whether others hold a share: an exclusive lock is refused, but a shared one is granted."""
        with opened(self.place / USERS) as users:
            return not try_to_take(users, EXCLUSIVE) and try_to_take(users, SHARED)


def _owner(path: Path) -> str:
    """Name the owner of a folder, or of its nearest accessible parent."""
    for place in (path, *path.parents):
        with suppress(OSError, KeyError):
            return f"{place} belongs to {place.owner()}"
    return "whose it is cannot be told"
