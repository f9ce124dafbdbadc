"""The tables of a board in PostgreSQL's COPY text format: read in one snapshot, written in one transaction."""

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Any

from django.db import connection, transaction

PASSING = ("cache_counts",)
"""Tables of short-lived counters, not backed up."""
COLUMNS = """
SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position) FROM information_schema.columns
WHERE table_schema = 'public' AND is_generated = 'NEVER'
  AND table_name IN (SELECT tablename FROM pg_tables WHERE schemaname = 'public')
GROUP BY table_name ORDER BY table_name
"""
REFERENCES = """
SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid <> confrelid
"""
SEQUENCES = "SELECT sequencename::text, last_value FROM pg_sequences WHERE schemaname = 'public' ORDER BY sequencename"


def columns() -> dict[str, list[str]]:
    """Return every table to back up, with its columns."""
    with connection.cursor() as cursor:
        cursor.execute(COLUMNS)
        return {name: list(found) for name, found in cursor.fetchall() if name not in PASSING}


def sequences() -> dict[str, int | None]:
    """Return the last value of each sequence; None for one not used yet."""
    with connection.cursor() as cursor:
        cursor.execute(SEQUENCES)
        return dict(cursor.fetchall())


def in_order(tables: Iterable[str]) -> list[str]:
    """Sort tables after those that they reference, where possible: most references are checked at the end anyway."""
    names = list(tables)
    with connection.cursor() as cursor:
        cursor.execute(REFERENCES)
        graph: dict[str, set[str]] = {name: set() for name in names}
        for one, other in cursor.fetchall():
            if one in graph and other in graph:
                graph[one].add(other)
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError:
        return names


class FrozenTables:
    """A snapshot of all tables at one moment, unaffected by concurrent writes."""

    def __enter__(self) -> "FrozenTables":
        self.block = transaction.atomic()
        self.block.__enter__()
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        return self

    def __exit__(self, *told: Any) -> None:
        self.block.__exit__(*told)

    def read(self, table: str, names: list[str]) -> Iterator[bytes]:
        """Yield the rows of a table, in chunks, ordered by key."""
        words = f"COPY (SELECT {_quoted(names)} FROM {_quoted([table])} ORDER BY {_quoted(names[:1])}) TO STDOUT"  # noqa: S608  our names
        with connection.cursor() as cursor, cursor.copy(words) as copy:
            for piece in copy:
                yield bytes(piece)


def write(table: str, names: list[str], pieces: Iterable[bytes]) -> None:
    """Copy rows into an empty table; its triggers must be disabled, as they ran when the rows were first inserted."""
    with connection.cursor() as cursor, cursor.copy(f"COPY {_quoted([table])} ({_quoted(names)}) FROM STDIN") as copy:
        for piece in pieces:
            copy.write(piece)


def set_triggers(tables: Iterable[str], *, enabled: bool) -> None:
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"ALTER TABLE {_quoted([table])} {'ENABLE' if enabled else 'DISABLE'} TRIGGER USER")


def empty(tables: Iterable[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {_quoted(tables)}")


def set_sequences(values: dict[str, int | None]) -> None:
    with connection.cursor() as cursor:
        for name, value in values.items():
            if value is not None:
                cursor.execute("SELECT setval(%s::regclass, %s)", [f"public.{connection.ops.quote_name(name)}", value])


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(connection.ops.quote_name(name) for name in names)
