"""API of submissions: the whole lifecycle, its OpenAPI description, rate limits and the queue status."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from tests.board.submitting.people import Visitor, make_member


@pytest.fixture
def program(open_board: Path) -> Any:
    from gluepot.board.accounts.models import ApiKey

    return Visitor("program", key=ApiKey.make(make_member("ann@example.org"), "laptop", "submit")[1]).client()


def sent(program: Any, sample: Path, **more: str) -> Any:
    with sample.open("rb") as stream:
        return program.post("/api/my/submissions", {"suite": "pocket", "name": "by-program", "files": stream, **more})


def test_api_submits_reads_publishes_and_withdraws(program: Any, sample: Path, work: Callable[[], None]) -> None:
    from gluepot.board.submitting.models import FactSheet
    from gluepot.board.submitting.publication.decisions import approve

    draft = sent(program, sample, draft="true").json()
    assert draft["state"] == "draft"
    room = f"/api/my/submissions/{draft['key']}"
    assert program.post(f"{room}/score").json()["state"] == "queued"
    work()
    scored = program.get(room).json()
    assert scored["state"] == "scored"
    assert scored["score"]["rank"] == 1
    wanting = program.post(f"{room}/publish", {"name": "by-program"}, content_type="application/json")
    assert wanting.status_code == 422
    assert "parameters" in wanting.json()["facts"]
    facts = {"name": "by-program", "family": "Encoder", "parameters": "1M", "data_size": 1, "data_kind": "news"}
    facts |= {"link": "https://example.org/", "trained": {task["task"]: "none" for task in scored["tasks"]}}
    assert program.post(f"{room}/publish", facts, content_type="application/json").json()["state"] == "review"
    assert [sheet["state"] for sheet in program.get(f"{room}/facts").json()] == ["review"]
    approve(FactSheet.objects.get(), "1")
    work()
    assert program.get(room).json()["public"].startswith("/s/")
    assert [letter.subject.split("” ")[1] for letter in mail.outbox] == ["was verified and waits for review", "is published"]
    assert program.delete(room).json()["state"] == "withdrawn"
    assert program.delete(room).status_code == 409


def test_account_lists_its_teams(program: Any) -> None:
    told = program.get("/api/my/account").json()
    assert told["email"] == "ann@example.org"
    assert [(team["name"], team["personal"]) for team in told["teams"]] == [("ann", True)]
    assert "digest" not in str(told)


def test_every_endpoint_is_described_by_openapi_3_1(program: Any) -> None:
    from django.urls import get_resolver

    described = program.get("/api/my/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    inner = next(one for one in get_resolver().url_patterns if str(one.pattern) == "api/my/")
    routes = {"/api/my/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(one.pattern)) for one in inner.url_patterns}
    told = set(described["paths"])
    assert {route for route in routes if not route.endswith(("openapi.json", "docs", "/my/"))} <= told
    assert all(operation["summary"] for path in described["paths"].values() for operation in path.values())


def test_calls_are_rate_limited_including_invalid_keys(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from gluepot.board.accounts import key_auth
    from gluepot.board.submitting.intake import rate_limits

    monkeypatch.setattr(rate_limits, "time", lambda: 0.0)
    monkeypatch.setattr(key_auth, "CALLS", rate_limits.CallLimit(3))
    assert [program.get("/api/my/submissions").status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = program.get("/api/my/submissions")
    assert refused.headers["Retry-After"] == "60"
    assert refused.json()["retry_after"] == 60
    stranger = Visitor("stranger", key="gluepot_guess").client()
    assert stranger.get("/api/my/submissions").status_code == 429


def test_status_shows_queue_length_age_and_workers(program: Any, sample: Path, work: Callable[[], None]) -> None:
    from datetime import timedelta

    from django.utils import timezone

    from gluepot.board.submitting.models import Upload, WorkerSeen

    assert program.get("/status.json").json()["waiting"] == 0
    sent(program, sample)
    Upload.objects.update(queued=timezone.now() - timedelta(seconds=90))
    WorkerSeen.objects.create(name="one", at=timezone.now())
    WorkerSeen.objects.create(name="gone", at=timezone.now() - timedelta(minutes=5))
    told = program.get("/status.json").json()
    assert (told["waiting"], told["scoring"], told["workers"]) == (1, 0, 1)
    assert 90 <= told["oldest"] < 120
    assert "ann" not in str(told)
    assert "workers seen" in program.get("/status").content.decode()
    work()
    assert program.get("/status.json").json()["oldest"] is None
