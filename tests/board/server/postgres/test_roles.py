"""Attacks on the board's database by other users of the machine and through statements issued by the site."""

import os
import pwd
from itertools import product
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.board.serving import served
from tests.board.users import MYSELF, Somebody, is_ready

from gluepot.board.server.postgres.roles import LIMITED, OWNER, READER, ROUNDS, SITE, SUPERUSER
from gluepot.board.server.postgres.server import Server
from gluepot.errors import GluepotError

pytestmark = pytest.mark.slow

CONNECT = """
import sys, psycopg
try:
    with psycopg.connect(host=sys.argv[1], port=5432, user=sys.argv[2], dbname="postgres", connect_timeout=5) as connection:
        print(connection.execute("SHOW is_superuser").fetchone()[0])
except psycopg.Error as error:
    print("refused:", error)
"""


def stranger(somebody: Somebody) -> Somebody:
    """Return another unprivileged user who can run the same Python."""
    if os.geteuid() != 0:
        pytest.skip("needs root to become somebody else")
    from tests.board.users import ordinary_user

    known = ordinary_user()
    entry = pwd.getpwnam("daemon" if somebody.identity else "nobody")
    return Somebody(known.python, {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}, known.environment)


def tried(who: Somebody, folder: Path, role: str) -> str:
    with who.start("-c", CONNECT, str(folder / "database"), role, cwd="/") as process:
        return process.communicate(timeout=30)[0].strip()


def lay_open(folder: Path) -> None:
    """Make the socket and the folders above it accessible to all users."""
    for path in (folder.parent, folder, folder / "database", folder / "database" / ".s.PGSQL.5432"):
        path.chmod(0o777)


@pytest.mark.parametrize("role", [SUPERUSER, OWNER, READER])
def test_other_users_cannot_connect_even_if_the_folders_are_open(folder: Path, somebody: Somebody, role: str) -> None:
    other = stranger(somebody)
    with somebody.holding(folder):
        assert tried(other, folder, role).startswith("refused:")
        lay_open(folder)
        told = tried(other, folder, role)
        assert told.startswith("refused:")
        assert "Peer authentication failed" in told


def rights_of(server: Server, role: str) -> dict[str, Any]:
    with psycopg.connect(**server.address(role)) as connection:
        query = "SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = current_user"
        row = connection.execute(query).fetchone()
        assert row is not None
        owned = connection.execute("SELECT count(*) FROM pg_class WHERE relowner = current_user::regrole").fetchone()
        assert owned is not None
        return {"rights": set(row), "owned": owned[0]}


HARM = [
    "CREATE TABLE mine (x int)",
    "CREATE TEMPORARY TABLE mine (x int)",
    "UPDATE board_system SET name = 'x'",
    "DELETE FROM board_score",
    "DROP TABLE board_score",
    "SELECT lo_create(0)",
    "SET ROLE gluepot_owner",
]
RULE = [
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "COPY board_system TO '/tmp/x'",
    "SELECT pg_read_file('/etc/passwd')",
    "CREATE ROLE other",
    "SET ROLE postgres",
    "SET SESSION AUTHORIZATION postgres",
    "ALTER SYSTEM SET log_statement = 'all'",
]
REFUSALS = (psycopg.errors.InsufficientPrivilege,)


def test_site_roles_cannot_write_scores_or_administer_the_database(board_place: Path) -> None:
    folder = board_place / "board"
    with served(folder) as address:
        from urllib.request import urlopen

        urlopen(address, timeout=30).read()
        server = Server(folder, "gluepot")
        server.open()
        try:
            with psycopg.connect(**server.address(SUPERUSER)) as connection:
                found = connection.execute(
                    "SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = 'gluepot' AND pid <> pg_backend_pid()"
                )
                assert found.fetchall() == [(SITE,)]
            for role in LIMITED:
                assert rights_of(server, role) == {"rights": {False}, "owned": 0}
            assert rights_of(server, OWNER)["rights"] == {False}
            for role, words in product((READER, SITE, ROUNDS), (*HARM, *RULE)):
                with psycopg.connect(**server.address(role), autocommit=True) as connection:
                    connection.execute("SET default_transaction_read_only = off")
                    with pytest.raises(REFUSALS):
                        connection.execute(words)
            for words in RULE:
                with psycopg.connect(**server.address(OWNER), autocommit=True) as connection, pytest.raises(REFUSALS):
                    connection.execute(words)
        finally:
            server.close()


PRYING = [
    "SELECT password FROM accounts_member",
    "SELECT email FROM accounts_member",
    "SELECT * FROM submitting_upload",
    "SELECT * FROM board_score",
    "SELECT * FROM django_session",
    "UPDATE rounds_castvote SET value = '1'",
    "DELETE FROM rounds_castvote",
    "UPDATE rounds_roundrater SET revoked = false",
    "UPDATE rounds_annotationround SET closed = false",
    "UPDATE rounds_rounditem SET gold = '1'",
]


def test_rounds_role_reads_only_rounds_and_changes_no_vote(board_place: Path) -> None:
    assert MYSELF.gluepot("board", "import", "--published", "--dir", str(board_place)).returncode == 0
    server = Server(board_place, "gluepot")
    server.open()
    try:
        with psycopg.connect(**server.address(SUPERUSER)) as connection:
            tables = {name for (name,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
            may = "SELECT has_any_column_privilege('gluepot_rounds', %s, 'SELECT')"
            visible = {name for name in tables if connection.execute(may, [f'public."{name}"']).fetchone() == (True,)}
            assert visible == {name for name in tables if name.startswith("rounds_")}
            assert len(visible) == 6
        for words in PRYING:
            with psycopg.connect(**server.address(ROUNDS), autocommit=True) as connection, pytest.raises(REFUSALS):
                connection.execute(words)
        for words in ("SELECT * FROM rounds_castvote", "SELECT token FROM rounds_roundrater"):
            with psycopg.connect(**server.address(SITE), autocommit=True) as connection, pytest.raises(REFUSALS):
                connection.execute(words)
    finally:
        server.close()


def test_board_of_an_earlier_version_is_upgraded_on_first_use(folder: Path, somebody: Somebody) -> None:
    assert somebody.gluepot("board", "import", "--published", "--dir", str(folder)).returncode == 0
    make_old(folder)
    told = somebody.gluepot("board", "import", "--published", "--dir", str(folder))
    assert told.returncode == 0, told.stderr
    assert "0 entries imported" in told.stdout
    assert "trust" not in (folder / "database" / "pg_hba.conf").read_text()
    server = Server(folder, "gluepot")
    server.open()
    try:
        with psycopg.connect(**server.address(READER)) as connection:
            assert connection.execute("SELECT count(*) > 0 FROM board_system").fetchone() == (True,)
            left = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relowner <> 'gluepot_owner'::regrole"
            assert connection.execute(left).fetchall() == []
    finally:
        server.close()


def make_old(folder: Path) -> None:
    """Restore the former rights: the superuser owns everything, no other role exists, and every login is trusted."""
    server = Server(folder, "gluepot")
    server.open()
    try:
        with psycopg.connect(**server.address(SUPERUSER), autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE gluepot OWNER TO {SUPERUSER}")
            connection.execute("COMMENT ON DATABASE gluepot IS NULL")
            with psycopg.connect(**server.address(SUPERUSER), autocommit=True) as inside:
                inside.execute(f"REASSIGN OWNED BY {OWNER} TO {SUPERUSER}")
            for role in (*LIMITED, OWNER):
                connection.execute(f"DROP OWNED BY {role}")
                connection.execute(f"DROP ROLE {role}")
    finally:
        server.close()
    (folder / "database" / "pg_hba.conf").write_text("local all all trust\n")


@pytest.mark.parametrize("mode", [0o750, 0o755, 0o711])
def test_folder_open_to_others_is_refused_with_the_fix(folder: Path, somebody: Somebody, mode: int) -> None:
    with somebody.holding(folder):
        assert is_ready(folder)
    (folder / "database").chmod(mode)
    told = somebody.gluepot("board", "import", "--published", "--dir", str(folder))
    assert told.returncode == 1
    assert f"database is open to others (mode {oct(mode)[2:]})" in told.stderr
    assert "chmod 700" in told.stderr
    assert "Traceback" not in told.stderr


def test_folder_of_another_user_is_refused(board_place: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    with MYSELF.holding(board_place):
        pass
    os.chown(board_place / "database", 0, 0)
    server = Server(board_place, "gluepot")
    with pytest.raises(GluepotError, match="belongs to root instead of pgserver"):
        server.open()
    server.close()


def test_importing_preserves_permissions_of_parent_folders(folder: Path, somebody: Somebody) -> None:
    folder.mkdir(mode=0o700)
    if somebody.identity:
        os.chown(folder, somebody.identity["user"], somebody.identity["group"])
    board = folder / ("long" * 40) / "board"
    told = somebody.gluepot("board", "import", "--published", "--dir", str(board))
    assert told.returncode == 0, told.stderr
    modes = {path: path.stat().st_mode & 0o777 for path in (folder, board / "database", board / "server", board / "secret-key")}
    assert list(modes.values()) == [0o700, 0o700, 0o700, 0o600]
