"""Outages of the database: pages and the API return 503 with `Retry-After`, commands a one-line error."""

from pathlib import Path

import pytest


@pytest.fixture
def away(board, monkeypatch):
    from django.db import OperationalError
    from django.test import Client

    from gluepot.board.server.middleware import caching

    def lost() -> int:
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(caching, "revision", lost)
    return Client(raise_request_exception=False, HTTP_HOST="localhost")


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/", "The board&#x27;s database does not answer"),
        ("/sv/b/superlim/2.0.4", "Tavlans databas svarar inte"),
        ("/da/", "Tavlens database svarer ikke"),
        ("/ru/truth", "База данных сайта сейчас не отвечает"),
        ("/eu/", "Gunearen datu-baseak ez du"),
    ],
)
def test_page_returns_503_in_its_language(away, capfd, path, told):
    answer = away.get(path)
    assert (answer.status_code, answer.headers["Retry-After"], answer.headers["Cache-Control"]) == (503, "5", "no-store")
    assert told in answer.content.decode()
    assert capfd.readouterr().err == "", "one outage is no thousand tracebacks"


def test_api_returns_503_as_json(away):
    answer = away.get("/api/suites")
    assert answer.status_code == 503
    assert "does not answer" in answer.json()["detail"]


def test_outage_within_a_view_returns_503_and_not_500(board, monkeypatch):
    from django.db import InterfaceError
    from django.test import Client

    from gluepot.board.views import home

    def lost() -> None:
        raise InterfaceError("connection already closed")

    monkeypatch.setattr(home, "home", lost)
    assert Client(raise_request_exception=False, HTTP_HOST="localhost").get("/").status_code == 503


def test_full_disk_is_distinguished_from_a_lost_server(board, tmp_path: Path, monkeypatch):
    from django.db import OperationalError

    from gluepot.board.server import outages

    told = str(outages.explained(OperationalError("could not extend file: No space left on device\nHINT: Check"), tmp_path))
    assert told.startswith(f"{tmp_path}: the disk is full (could not extend file: No space left on device HINT: Check).")
    assert "the board's database was lost (gone)." in str(outages.explained(OperationalError("gone"), tmp_path))
    monkeypatch.setattr(outages.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": 5}))
    assert "the disk is full (gone)" in str(outages.explained(OperationalError("gone"), tmp_path))


def test_external_database_error_names_its_setting(board, tmp_path: Path, monkeypatch):
    from django.db import OperationalError

    from gluepot.board.server import outages

    monkeypatch.setenv("GLUEPOT_DATABASE_URL", "postgresql://db.example/x")
    told = str(outages.explained(OperationalError("gone"), tmp_path))
    assert told.startswith("the board's database does not answer: gone. Check GLUEPOT_DATABASE_URL")


def test_worker_that_loses_its_database_exits_with_one_error(board, monkeypatch, capfd):
    import logging

    from django.db import OperationalError
    from procrastinate.exceptions import ConnectorException

    from gluepot.board.submitting import worker

    async def lost(queues) -> None:
        try:
            raise ConnectorException from RuntimeError("couldn't get a connection")
        except ConnectorException:
            for name in ("procrastinate.worker", "asyncio"):
                logging.getLogger(name).exception("unhandled exception")
            raise

    monkeypatch.setattr(worker, "_work", lost)
    monkeypatch.setattr(worker.resource, "setrlimit", lambda *limits: None)
    with pytest.raises(OperationalError, match="couldn't get a connection"):  # the board's commands turn this into a message
        worker.work()
    assert capfd.readouterr().err == "", "one outage is no thousand tracebacks"
