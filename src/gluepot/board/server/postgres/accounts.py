"""Whom the server runs as: its user, or, because PostgreSQL refuses root, somebody without rights where root is the user."""

import os
import pwd
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from gluepot.errors import GluepotError

NAME = "pgserver"
"""The user that is made for it where root uses a board; boards of earlier versions belong to it too."""


@dataclass(frozen=True)
class Account:
    """A user and a group, by number."""

    uid: int
    gid: int

    def may(self, path: Path, bits: int) -> bool:
        """Whether the mode of a file or folder grants this: 4 to read, 1 to enter or execute, 5 both."""
        found = path.stat()
        shift = 6 if found.st_uid == self.uid else 3 if found.st_gid == self.gid else 0
        return stat.S_IMODE(found.st_mode) >> shift & bits == bits

    def may_reach(self, path: Path) -> bool:
        """Whether all folders above may be entered."""
        return all(self.may(folder, 1) for folder in path.parents)


def server_account(data: Path) -> Account | None:
    """None for the user at hand. For root: whoever owns the data, or a user who owns nothing else."""
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
        if not _exists():  # two first commands at once: the other one has made it
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
