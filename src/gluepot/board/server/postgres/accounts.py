"""The system user of the server: the current user or, because PostgreSQL refuses to run as root, an unprivileged one for root."""

import os
import pwd
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from gluepot.errors import GluepotError

NAME = "pgserver"
"""System user created for the server where root uses a board; boards of earlier versions belong to it too."""


@dataclass(frozen=True)
class Account:
    """A user id and a group id."""

    uid: int
    gid: int

    def may(self, path: Path, bits: int) -> bool:
        """Whether the mode of a file or folder grants these bits: 4 to read, 1 to enter or execute, 5 for both."""
        found = path.stat()
        shift = 6 if found.st_uid == self.uid else 3 if found.st_gid == self.gid else 0
        return stat.S_IMODE(found.st_mode) >> shift & bits == bits

    def may_reach(self, path: Path) -> bool:
        """Whether all parent folders may be entered."""
        return all(self.may(folder, 1) for folder in path.parents)


def server_account(data: Path) -> Account | None:
    """Return None for the current user; for root, the owner of the data, or else a user that owns nothing else."""
    if os.geteuid() != 0:
        return None
    if data.is_dir() and data.stat().st_uid != 0:
        return Account(data.stat().st_uid, data.stat().st_gid)
    try:
        entry = pwd.getpwnam(NAME)
    except KeyError:
        entry = _make_user()
    return Account(entry.pw_uid, entry.pw_gid)


def _make_user() -> pwd.struct_passwd:
    words = ["useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin", NAME]
    try:
        subprocess.run(words, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        if not _exists():  # of two concurrent first commands, the other one has created it
            why = (getattr(error, "stderr", "") or str(error)).strip()
            message = f"PostgreSQL refuses to run as root, and no user {NAME!r} can be made for it ({why}). Use the board as another user."
            raise GluepotError(message) from error
    return pwd.getpwnam(NAME)


def _exists() -> bool:
    try:
        pwd.getpwnam(NAME)
    except KeyError:
        return False
    return True
