"""Access to the server: peer authentication of its owner and root, on a socket in a folder closed to all other users."""

import os
import pwd
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from gluepot.board.server.postgres.accounts import Account
from gluepot.board.server.postgres.roles import ROLES
from gluepot.errors import GluepotError

MAP = "gluepot"
RULES = f"# Written by gluepot at every start.\nlocal all all peer map={MAP}\n"


def user_name(number: int) -> str | None:
    """Return the name of a user id; None if it has no name."""
    with suppress(KeyError):
        return pwd.getpwuid(number).pw_name
    return None


def check_folder(data: Path, owner: int) -> None:
    """Raise GluepotError unless the socket's folder belongs to its owner and is closed to others."""
    found = data.stat()
    if found.st_uid != owner:
        whose = user_name(found.st_uid) or found.st_uid
        raise GluepotError(f"{data} belongs to {whose} instead of {user_name(owner) or owner}; its socket would be in strange hands.")
    if found.st_mode & 0o077:
        mode = oct(found.st_mode & 0o777).removeprefix("0o")
        raise GluepotError(f"{data} is open to others (mode {mode}), and its socket with it. Close it: chmod 700 '{data}'")


def write_rules(data: Path, account: Account | None) -> None:
    """Write rules that trust no claimed role name: boards of earlier versions trusted every client of the socket."""
    names = {user_name(number) for number in (0, data.stat().st_uid)}
    lines = [f'{MAP} "{name}" "{role}"\n' for name in sorted(filter(None, names)) for role in ROLES]
    for path, text in ((data / "pg_hba.conf", RULES), (data / "pg_ident.conf", "".join(lines))):
        _write(path, text, account)


def _write(path: Path, text: str, account: Account | None) -> None:
    """Write through a new file, never through a symlink in its place."""
    with NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}-", delete=False) as draft:
        try:
            draft.write(text)
            draft.flush()
            if account is not None:
                os.fchown(draft.fileno(), account.uid, account.gid)
            Path(draft.name).replace(path)
        except BaseException:
            Path(draft.name).unlink(missing_ok=True)
            raise
