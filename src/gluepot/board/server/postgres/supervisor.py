"""Supervisor process of a server: starts it, and stops it when the last process that uses it is gone, however that one ended.

Each of these processes holds a shared lock on one file; the supervisor waits for an exclusive lock on it. It holds a lock of its own for
as long as it lives, so that there is never a second supervisor. If it dies itself, the kernel signals the server to shut down.
"""

import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread

from gluepot.board.server.postgres.access import check_folder, write_rules
from gluepot.board.server.postgres.accounts import Account, server_account
from gluepot.board.server.postgres.children import Child
from gluepot.board.server.postgres.locks import EXCLUSIVE, open_lock, take, try_to_take
from gluepot.board.server.postgres.processes import stop_leftovers
from gluepot.board.server.postgres.programs import find_programs, is_complete, version_of
from gluepot.errors import GluepotError

LOCK, USERS, LOG = "lock", "users", "log"
SOCKET = ".s.PGSQL.5432"
SLOW, STUCK = 60.0, 10.0
"""Seconds for a fast shutdown, then for an immediate one, before the server is killed."""
ROOM = 2**20
"""Free bytes below which a disk counts as full: not every program reports it."""
INITDB = ["--auth-local=peer", "--auth-host=reject", "--username=postgres", "--encoding=UTF8"]
BUILTIN = 17
"""First version with a built-in Unicode locale."""
UNICODE = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
"""The same on every machine, whichever locales it has; upper and lower case in all scripts."""
SERVER = ["-h", "", "-p", "5432", "-k", ".", "-c", "unix_socket_permissions=0700", "-c", "log_checkpoints=off"]
"""No network. The socket is in the data folder, which only its owner may enter and in which the server works: `.` is never too long."""

_LINUX = sys.platform == "linux"
SYNC = ["--sync-method=syncfs"] if _LINUX else []
AFTER_A_CRASH = ["-c", "recovery_init_sync_method=syncfs"] if _LINUX else []
"""One sync of the file system instead of one for each of a thousand files, which takes seconds."""


def making_words(version: int) -> list[str]:
    """Return the `initdb` options of a version; older ones use the locale of the system's C library.

    >>> making_words(15)[-1]
    '--locale=C.UTF-8'
    """
    return [*INITDB, *UNICODE, *SYNC] if version >= BUILTIN else [*INITDB, "--locale=C.UTF-8"]


class Supervisor:
    """Supervisor of one server on one data folder, from its creation to its end."""

    def __init__(self, data: Path, place: Path) -> None:
        self.data, self.place = data, place
        self.account: Account | None = None
        self.programs = Path()
        self.maker: Child | None = None
        self.server: Child | None = None
        self.stopping = False

    def run(self) -> None:
        """Run until the server has ended; raise GluepotError if it does not start."""
        if not try_to_take(open_lock(self.place / LOCK), EXCLUSIVE):
            return  # another supervisor runs, for this user as well
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: self.stop())
        Thread(target=self._wait_for_users, daemon=True).start()
        stop_leftovers(self.data)
        self.account = server_account(self.data)
        self.programs = find_programs(self.data, self.account)
        self._make()
        self._serve()

    def stop(self) -> None:
        """Stop the running program; no other one is started."""
        self.stopping = True
        if self.maker is not None:
            self.maker.kill()  # it would finish its step, and its result is discarded
        if self.server is not None:
            self.server.tell(signal.SIGINT)  # a fast shutdown

    def _wait_for_users(self) -> None:
        take(open_lock(self.place / USERS), EXCLUSIVE)  # held until exit: a process that comes now waits for it, then starts a new server
        self.stop()
        for seconds, harder in ((SLOW, signal.SIGQUIT), (STUCK, signal.SIGKILL)):
            time.sleep(seconds)
            if self.server is not None:
                self.server.tell(harder)

    def _run(self, program: str, data: Path, words: list[str]) -> Child:
        return Child(self.programs / program, data, words, self.account, self.place / LOG)

    def _make(self) -> None:
        """Create the data next to its final place, so that data in place is complete."""
        for draft in self.data.parent.glob(f".{self.data.name}-*"):
            shutil.rmtree(draft, ignore_errors=True)
        if is_complete(self.data) or self.stopping:
            return
        draft = self.data.with_name(f".{self.data.name}-{os.getpid()}")
        draft.mkdir(mode=0o700)
        try:
            if self.account is not None:
                os.chown(draft, self.account.uid, self.account.gid)
            self.maker = self._run("initdb", draft, making_words(version_of(self.programs)))
            if self.stopping:  # requested while it was started
                self.stop()
            if self.maker.wait() and not self.stopping:
                raise self._failure(self.maker)
            self.maker = None
            if not self.stopping:
                self._put(draft)
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def _failure(self, child: Child) -> GluepotError:
        full = shutil.disk_usage(self.place).free < ROOM
        return GluepotError(f"the disk is full ({child.reason})" if full else child.reason)

    def _put(self, draft: Path) -> None:
        if self.data.is_dir() and any(self.data.iterdir()):  # left unfinished by an earlier version
            aside = self.data.with_name(f"{self.data.name}.incomplete")
            shutil.rmtree(aside, ignore_errors=True)
            self.data.rename(aside)
        draft.rename(self.data)

    def _serve(self) -> None:
        if self.stopping:
            return
        for name in (SOCKET, f"{SOCKET}.lock"):
            (self.data / name).unlink(missing_ok=True)
        check_folder(self.data, os.geteuid() if self.account is None else self.account.uid)
        write_rules(self.data, self.account)
        self.server = self._run("postgres", self.data, [*SERVER, *AFTER_A_CRASH])
        if self.stopping:
            self.stop()
        ready = self._is_ready(self.server)
        if ready:
            _let_go()
        self.server.wait()
        if not ready and not self.stopping:
            raise self._failure(self.server)

    def _is_ready(self, server: Child) -> bool:
        """Wait until the server is ready or has ended; return whether it is ready."""
        while server.runs():
            with suppress(OSError):
                words = (self.data / "postmaster.pid").read_text(encoding="utf-8").split()
                if words and words[0] == str(server.pid) and words[-1] == "ready":
                    return True
            time.sleep(0.01)
        return False


def _let_go() -> None:
    """Close the output pipe, which signals to the waiting process that the server is ready."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


def main() -> None:
    """`python -m gluepot.board.server.postgres.supervisor DATA PLACE` prints nothing on success, else why the server does not start."""
    if os.fork():
        os._exit(0)  # it serves all processes, not only the one that started it
    os.umask(0o077)
    os.chdir("/")
    try:
        Supervisor(*map(Path, sys.argv[1:])).run()
    except (GluepotError, OSError) as error:
        print(error, flush=True)


if __name__ == "__main__":
    main()
