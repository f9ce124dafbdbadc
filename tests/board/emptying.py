"""Truncation of the test board's used tables; truncating all of them takes longer than most tests."""

from typing import Any


def empty_tables(*labels: str, others: tuple[str, ...] = ()) -> None:
    """Empty the tables of these apps, and `others`, and restart their ID sequences."""
    from django.apps import apps
    from django.db import connection

    quoted: Any = connection.ops.quote_name
    tables = [*(model._meta.db_table for label in labels for model in apps.get_app_config(label).get_models()), *others]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM {quoted(table)})" for table in tables))
        filled = {name for (name,) in cursor.fetchall()}
        cursor.execute("SELECT sequencename FROM pg_sequences WHERE last_value IS NOT NULL")
        counted = {name for (name,) in cursor.fetchall()}
        used = [table for table in tables if table in filled or f"{table}_id_seq" in counted]
        if used:
            cursor.execute(f"TRUNCATE {', '.join(map(quoted, used))} RESTART IDENTITY CASCADE")


def empty_accounts() -> None:
    """Empty the tables of accounts, submissions, moderation, sessions and jobs."""
    apps = ("accounts", "submitting", "moderation", "sessions", "account", "mfa")
    empty_tables(*apps, others=("procrastinate_jobs", "procrastinate_events"))
