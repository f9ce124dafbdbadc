"""PostgreSQL roles: one owns the board's tables, the others have the privileges that their process needs; none is a superuser."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg import Connection

SUPERUSER = "postgres"
"""Creates the other roles and the database, nothing else."""
OWNER = "gluepot_owner"
"""Creates and alters tables, and writes: imports, snapshots."""
READER = "gluepot_reader"
"""Reads public data; owns nothing."""
SITE = "gluepot_site"
"""The site: reads public data, writes accounts, submissions and the queue, but no score."""
WORKER = "gluepot_worker"
"""Runs jobs and writes their results; sees no password, session or key."""
ROUNDS = "gluepot_rounds"
"""Raters' pages: reads rounds, adds votes, and has no access to accounts, submissions, scores or answers."""
ROLES = (SUPERUSER, OWNER, READER, SITE, WORKER, ROUNDS)
LIMITED = (READER, SITE, WORKER, ROUNDS)
"""Roles that own nothing."""

MARK = "gluepot, roles 3"
"""Comment that marks a database whose privileges are set as below."""
TURN = 0x726F6C65
"""Advisory lock held while the roles are created: 'role'."""
READY = f"""
SELECT pg_get_userbyid(datdba) = '{OWNER}' AND shobj_description(oid, 'pg_database') = '{MARK}'
  AND (SELECT count(*) = {len(ROLES) - 1} FROM pg_roles WHERE rolname IN {ROLES[1:]} AND NOT rolsuper)
FROM pg_database WHERE datname = %s
"""  # noqa: S608  of our own constants
LIMITS = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
SERVER = f"""
REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC;
ALTER ROLE {READER} SET default_transaction_read_only = on;
"""
TABLES = f"""
REVOKE ALL ON SCHEMA public FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO {", ".join(LIMITED)};
ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} IN SCHEMA public REVOKE ALL ON TABLES FROM {READER};
DO $$
DECLARE one record;
BEGIN
  FOR one IN
    SELECT oid::regclass AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S') AND pg_get_userbyid(relowner) <> '{OWNER}'
      AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND relkind = 'S' AND deptype IN ('a', 'i'))
  LOOP
    EXECUTE format('ALTER TABLE %s OWNER TO {OWNER}', one.name);
  END LOOP;
  FOR one IN
    SELECT pg_type.oid::regtype AS name FROM pg_type LEFT JOIN pg_class ON pg_class.oid = typrelid
    WHERE typnamespace = 'public'::regnamespace AND pg_get_userbyid(typowner) <> '{OWNER}' AND (typtype = 'e' OR relkind = 'c')
  LOOP
    EXECUTE format('ALTER TYPE %s OWNER TO {OWNER}', one.name);
  END LOOP;
  FOR one IN
    SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND pg_get_userbyid(proowner) <> '{OWNER}'
  LOOP
    EXECUTE format('ALTER ROUTINE %s OWNER TO {OWNER}', one.name);
  END LOOP;
END $$;
"""  # noqa: S608  of our own constants
"""Sequences of columns follow their tables. Privileges on tables are granted when the tables are migrated (rights.py)."""


def make_roles(connect: "Callable[[str], Connection[Any]]", database: str) -> None:
    """Create the database and its roles; tables of earlier versions, owned by the superuser, are handed over to them."""
    from psycopg import sql

    name = sql.Identifier(database)
    with connect("postgres") as connection:
        if connection.execute(READY, [database]).fetchone() == (True,):
            return
        connection.execute("SELECT pg_advisory_lock(%s)", [TURN])  # until the connection closes
        for role in ROLES[1:]:
            known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
            connection.execute(sql.SQL(f"{'ALTER' if known else 'CREATE'} ROLE {role} {LIMITS}"))
        there = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone()
        made = "ALTER DATABASE {} OWNER TO {}" if there else "CREATE DATABASE {} OWNER {}"
        connection.execute(sql.SQL(made).format(name, sql.Identifier(OWNER)))
        connection.execute(SERVER)
        connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))
        for role in LIMITED:
            connection.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(name, sql.Identifier(role)))
        with connect(database) as inside:
            inside.execute(TABLES)
        connection.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(name, sql.Literal(MARK)))
