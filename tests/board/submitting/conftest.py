"""Fixtures of a board with accounts, and of a worker that empties the queue in the same process."""

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.programs.engines import engine, registry

__all__ = ["engine", "registry"]

POCKET = "pocket"


@pytest.fixture
def open_board(board: Path, tmp_path: Path) -> Iterator[Path]:
    """Return a board without accounts, submissions or jobs; emails are stored in memory."""
    from django.core import mail
    from django.core.cache import cache
    from django.test.utils import override_settings
    from tests.board.emptying import empty_accounts

    empty_accounts()
    cache.clear()
    mail.outbox = []
    with override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend"):
        yield board


@pytest.fixture
def ann(open_board: Path) -> Any:
    from tests.board.submitting.people import make_member

    return make_member("ann@example.org")


@pytest.fixture
def work(open_board: Path) -> Callable[[], None]:
    """Return a function that runs every queued job in this thread; real workers are tested as processes."""

    def done() -> None:
        from django.db import connection
        from procrastinate.contrib.django import app

        while True:
            with connection.cursor() as cursor:
                cursor.execute(
                    "DELETE FROM procrastinate_jobs WHERE id = (SELECT min(id) FROM procrastinate_jobs WHERE status = 'todo')"
                    " RETURNING task_name, args"
                )
                row = cursor.fetchone()
            if row is None:
                return
            app.tasks[row[0]].func(**(row[1] if isinstance(row[1], dict) else msgspec.json.decode(row[1])))

    return done


@pytest.fixture
def member(open_board: Path) -> Callable[..., Any]:
    """Factory of accounts with a verified email address."""

    def make(email: str = "ann@example.org", password: str = "correct horse battery", **more: Any) -> Any:
        from allauth.account.models import EmailAddress

        from gluepot.board.accounts.models import Member

        made = Member.objects.create_user(email, password, **more)
        EmailAddress.objects.create(user=made, email=email, verified=True, primary=True)
        return made

    return make


@pytest.fixture
def client_of(open_board: Path) -> Callable[[Any], Any]:
    """Factory of clients, signed in if an account is given."""

    def make(somebody: Any = None) -> Any:
        from django.test import Client

        client = Client(HTTP_HOST="localhost")
        if somebody is not None:
            client.force_login(somebody, backend="allauth.account.auth_backends.AuthenticationBackend")
        return client

    return make


@pytest.fixture(scope="session")
def sample(board_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a valid submission to the bundled suite."""
    from gluepot.board.submitting.intake.sample import sample_zip
    from gluepot.tasks.declarations import load_suite

    path = tmp_path_factory.mktemp("sample") / "sample.zip"
    path.write_bytes(sample_zip(load_suite(POCKET)))
    return path


def varied(sample: Path, to: Path, seed: int) -> Path:
    """Write a distinct submission by rotating the predictions of the first file."""
    with zipfile.ZipFile(sample) as old, zipfile.ZipFile(to, "w") as new:
        for number, name in enumerate(old.namelist()):
            lines = old.read(name).splitlines()
            if number == 0:
                rows = [msgspec.json.decode(line) for line in lines]
                answers = [row["prediction"] for row in rows]
                shift = seed % len(rows)
                for row, answer in zip(rows, answers[shift:] + answers[:shift], strict=True):
                    row["prediction"] = answer
                lines = [msgspec.json.encode(row) for row in rows]
            new.writestr(name, b"\n".join(lines) + b"\n")
    return to


@pytest.fixture(autouse=True)
def no_calls_yet() -> None:
    """Reset the API rate limit, which counts calls per minute in this process for the one address of all tests."""
    from gluepot.board.submitting.intake.rate_limits import CALLS

    CALLS.counts.clear()


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set small limits for programs and a short, rough measurement."""
    from gluepot.board.submitting.programs import running
    from gluepot.efficiency.measurement import measuring

    monkeypatch.setattr(running, "REPEATS", 1)
    monkeypatch.setattr(measuring, "MOST_ROUNDS", 1)
    monkeypatch.setattr(measuring, "ENOUGH", 0.01)
    monkeypatch.setenv("GLUEPOT_PROGRAM_MEMORY", "300")
    monkeypatch.setenv("GLUEPOT_PROGRAM_MINUTES", "5")
    monkeypatch.setenv("GLUEPOT_PROGRAM_OUTPUT", "8")
