"""Privileges of the roles on tables, granted by the tables' owner after every migration."""

from collections.abc import Iterator

from gluepot.board.server.postgres.roles import LIMITED, READER, ROUNDS, SITE, WORKER

SHOWN = "board_"
"""Prefix of public tables: the site reads them, a worker writes them."""
APPENDED = "moderation_auditevent"
"""The audit log, to which the site and workers append and which they cannot change."""
OF_WORKER = ("submitting_", "procrastinate_")
"""Prefixes of other tables that a worker writes."""
SEEN_BY_WORKER = {
    "accounts_member": "id, email, name, language, is_active",
    "accounts_team": "*",
    "accounts_membership": "*",
}
"""Columns on users that a worker may read, to send mail; no passwords, sessions, keys or second factors."""
OF_ROUNDS = {
    "rounds_annotationround": "SELECT",
    "rounds_rounditem": "SELECT",
    "rounds_roundrater": "SELECT, UPDATE (consented)",
    "rounds_itemtally": "SELECT, UPDATE (taken)",
    "rounds_itemlease": "SELECT, INSERT, UPDATE, DELETE",
    "rounds_castvote": "SELECT, INSERT, UPDATE (current)",
}
"""Privileges of raters' pages: a vote is added and may cease to be current, but is never changed or deleted."""
CHANGES = ("submitting_rescoring", "submitting_rescoredvalue")
"""Tables of the published changes of a new version."""
LABELS = "submitting_hiddenlabels"
OF_WORKER_ALONE = {
    LABELS: "id, suite, version, task, split",
    "submitting_ladderstep": "id, team_id",
    "submitting_answervector": "id, team_id, upload_id",
}
"""Columns that the site may read of hidden labels and of values computed from them: that rows exist, and of which team, so that they are
deleted with it. Only a worker may read the rest, or infer the labels from bootstrap values."""
ALL = "SELECT, INSERT, UPDATE, DELETE"


def grants(tables: list[str]) -> Iterator[str]:
    """Yield the statements, which are idempotent.

    >>> list(grants(["board_score"]))[1]
    'GRANT SELECT ON "board_score" TO gluepot_reader, gluepot_site'
    """
    for table in tables:
        name = f'"{table}"'
        yield f"REVOKE ALL ON {name} FROM {', '.join(LIMITED)}"
        if table.startswith("rounds_"):
            yield f"GRANT {OF_ROUNDS[table]} ON {name} TO {ROUNDS}"
        elif table == APPENDED:
            yield f"GRANT SELECT, INSERT ON {name} TO {SITE}, {WORKER}"
        elif table.startswith(SHOWN) or table == "django_migrations":
            yield f"GRANT SELECT ON {name} TO {READER}, {SITE}"
            yield f"GRANT {ALL if table.startswith(SHOWN) else 'SELECT'} ON {name} TO {WORKER}"
        elif columns := OF_WORKER_ALONE.get(table):
            yield f"GRANT SELECT ({columns}) ON {name} TO {SITE}"
            yield from () if table == LABELS else [f"GRANT DELETE ON {name} TO {SITE}"]
            yield f"GRANT {'SELECT' if table == LABELS else ALL} ON {name} TO {WORKER}"
        else:
            yield f"GRANT {ALL} ON {name} TO {SITE}"
            yield from [f"GRANT SELECT ON {name} TO {READER}"] if table in CHANGES else []
            yield from _for_worker(table, name)
    yield f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {SITE}, {WORKER}"


def _for_worker(table: str, name: str) -> Iterator[str]:
    if table.startswith(OF_WORKER):
        yield f"GRANT {ALL} ON {name} TO {WORKER}"
    elif columns := SEEN_BY_WORKER.get(table):
        yield f"GRANT SELECT{'' if columns == '*' else f' ({columns})'} ON {name} TO {WORKER}"


def grant_rights() -> None:
    """Run the statements on a server that has the board's roles; a database set by URL has its own."""
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_roles WHERE rolname = ANY(%s)", [list(LIMITED)])
        if cursor.fetchone() != (len(LIMITED),):
            return
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
        for statement in grants([name for (name,) in cursor.fetchall()]):
            cursor.execute(statement)
