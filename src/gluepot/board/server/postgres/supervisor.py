"""The process between a board's users and its server: starts it, and stops it when the last user is gone, however that one ended.

Each user holds a shared lock on one file; the supervisor waits until it has that file alone. It holds a lock of its own for as long
as it lives, so that there is never a second one. If it dies itself, the kernel tells the server to shut down.
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
"""Bytes below which a disk is called full: not every program says so."""
INITDB = ["--auth-local=peer", "--auth-host=reject", "--username=postgres", "--encoding=UTF8"]
BUILTIN = 17
"""The first version that brings Unicode's order and letters itself."""
UNICODE = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
"""The same on every machine, whatever languages it has; text of all scripts in upper and lower case."""
SERVER = ["-h", "", "-p", "5432", "-k", ".", "-c", "unix_socket_permissions=0700", "-c", "log_checkpoints=off"]
"""No network. The socket lies in the data's own folder, which only its owner may enter. The server works there: `.` is never too long."""

_LINUX = sys.platform == "linux"
SYNC = ["--sync-method=syncfs"] if _LINUX else []
AFTER_A_CRASH = ["-c", "recovery_init_sync_method=syncfs"] if _LINUX else []
"""One call for the file system instead of one for each of a thousand files, which takes seconds."""


def making_words(version: int) -> list[str]:
    """How a version's `initdb` is told to make the data; an older one takes the order and letters of the system's C library.

    >>> making_words(15)[-1]
    '--locale=C.UTF-8'
    """
    return [*INITDB, *UNICODE, *SYNC] if version >= BUILTIN else [*INITDB, "--locale=C.UTF-8"]


class Supervisor:
    """One server on one folder of data, from its making to its end."""

    def __init__(self, data: Path, place: Path) -> None:
        self.data, self.place = data, place
        self.account: Account | None = None
        self.programs = Path()
        self.maker: Child | None = None
        self.server: Child | None = None
        self.stopping = False

    def run(self) -> None:
        """Return when the server has ended. Raises GluepotError if it does not start."""
        if not try_to_take(open_lock(self.place / LOCK), EXCLUSIVE):
            return  # another one is at it, for our user as well
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: self.stop())
        Thread(target=self._wait_for_users, daemon=True).start()
        stop_leftovers(self.data)
        self.account = server_account(self.data)
        self.programs = find_programs(self.data, self.account)
        self._make()
        self._serve()

    def stop(self) -> None:
        """End whatever runs; nothing else is begun."""
        self.stopping = True
        if self.maker is not None:
            self.maker.kill()  # it would finish its step, and what it has made is thrown away
        if self.server is not None:
            self.server.tell(signal.SIGINT)  # a fast shutdown

    def _wait_for_users(self) -> None:
        take(open_lock(self.place / USERS), EXCLUSIVE)  # held until the end: who comes now waits for it, and starts anew
        self.stop()
        for seconds, harder in ((SLOW, signal.SIGQUIT), (STUCK, signal.SIGKILL)):
            time.sleep(seconds)
            if self.server is not None:
                self.server.tell(harder)

    def _run(self, program: str, data: Path, words: list[str]) -> Child:
        return Child(self.programs / program, data, words, self.account, self.place / LOG)

    def _make(self) -> None:
        """The data, made beside its place: what is in place is complete."""
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
            if self.stopping:  # asked while it was started
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
        if self.data.is_dir() and any(self.data.iterdir()):  # begun by an earlier version and never finished
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
        """Whether it came to answer before it ended."""
        while server.runs():
            with suppress(OSError):
                words = (self.data / "postmaster.pid").read_text(encoding="utf-8").split()
                if words and words[0] == str(server.pid) and words[-1] == "ready":
                    return True
            time.sleep(0.01)
        return False


def _let_go() -> None:
    """Who waits for a word sees the end of the pipe: all is well."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


def main() -> None:
    """`python -m gluepot.board.server.postgres.supervisor DATA PLACE` says nothing if all is well, or why the server does not start."""
    if os.fork():
        os._exit(0)  # it belongs to all users, not to the one who came first
    os.umask(0o077)
    os.chdir("/")
    try:
        Supervisor(*map(Path, sys.argv[1:])).run()
    except (GluepotError, OSError) as error:
        print(error, flush=True)


if __name__ == "__main__":
    main()
