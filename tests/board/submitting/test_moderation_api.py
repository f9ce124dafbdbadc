"""API of moderation: decisions, blocks and merges with a moderation key."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.board.submitting.people import Visitor, make_member, make_moderator
from tests.board.submitting.test_programs import sent


def client_for(member: Any, scope: str) -> Any:
    from gluepot.board.accounts.models import ApiKey

    return Visitor(scope, key=ApiKey.make(member, scope, scope)[1]).client()


@pytest.fixture
def moderator(open_board: Path) -> Any:
    return client_for(make_moderator(), "moderate")


def post(client: Any, path: str, **body: Any) -> Any:
    return client.post(f"/api/my/moderation{path}", body, content_type="application/json")


def asked(client: Any, sample: Path, work: Callable[[], None], name: str) -> str:
    """Create a submission that waits for a decision and return its key."""
    sent_one = sent(client, sample, name=name).json()
    work()
    facts = {"name": name, "family": "Encoder", "parameters": "1M", "data_size": 1, "data_kind": "news", "link": "https://example.org/"}
    room = f"/api/my/submissions/{sent_one['key']}"
    early = client.patch(f"{room}/facts", {"name": name, "description": "not yet"}, content_type="application/json")
    assert early.json()["state"] == "scored"
    trained = {task["task"]: "none" for task in sent_one["tasks"]}
    assert client.post(f"{room}/publish", facts | {"trained": trained}, content_type="application/json").json()["state"] == "review"
    return str(sent_one["key"])


def test_decision_needs_a_reason_is_shown_to_the_team_and_is_final(moderator: Any, sample: Path, work: Callable[[], None]) -> None:
    ann, bob = (client_for(make_member(f"{name}@example.org"), "submit") for name in ("ann", "bob"))
    first, second = asked(ann, sample, work, "first"), asked(bob, sample, work, "second")
    waiting = moderator.get("/api/my/moderation/queue").json()
    assert [one["name"] for one in waiting] == ["first", "second"]
    room = f"/sheets/{waiting[0]['number']}/decision"
    assert post(moderator, room, decision="reject", reason=" ").status_code == 422
    assert post(moderator, room, decision="reject", reason="a copy").json()["state"] == "rejected"
    assert post(moderator, room, decision="approve").status_code == 409
    assert ann.get(f"/api/my/submissions/{first}").json()["reason"] == "a copy"
    post(moderator, f"/sheets/{waiting[1]['number']}/decision", decision="approve")
    work()
    assert bob.get(f"/api/my/submissions/{second}").json()["public"] == "/s/second"
    assert moderator.get(f"/api/my/moderation/submissions/{first}").json()["score"]
    assert post(ann, room, decision="approve").status_code == 403
    copies = moderator.get("/api/my/moderation/suspicions").json()
    assert [(one["kind"], one["submission"], one["other"]["submission"]) for one in copies] == [("near-copy", second, first)]
    assert post(moderator, f"/suspicions/{copies[0]['number']}", settled=True).json()["settled"]
    assert moderator.get("/api/my/moderation/suspicions").json() == []


def test_blocked_account_loses_its_keys_and_the_audit_log_has_the_reason(moderator: Any) -> None:
    ann = client_for(make_member("ann@example.org"), "submit")
    (found,) = moderator.get("/api/my/moderation/accounts?q=ann@").json()
    assert post(moderator, f"/accounts/{found['number']}/block", blocked=True).status_code == 422
    assert post(moderator, f"/accounts/{found['number']}/block", blocked=True, reason="spam").json()["blocked"]
    assert ann.get("/api/my/account").status_code == 401
    line = moderator.get("/api/my/moderation/audit?limit=500").json()[-1]
    assert (line["action"], line["details"]["reason"]) == ("changed an account", "spam")
    (own,) = moderator.get("/api/my/moderation/accounts?q=mo@").json()
    assert post(moderator, f"/accounts/{own['number']}/block", blocked=True, reason="x").status_code == 422


def test_systems_are_merged_by_a_worker(moderator: Any, work: Callable[[], None]) -> None:
    from gluepot.board.models import System

    System.objects.bulk_create(System(slug=slug, name=slug) for slug in ("kept", "other"))
    assert post(moderator, "/systems/merge", keep="kept", others=["nobody"], reason="x").status_code == 404
    assert post(moderator, "/systems/merge", keep="kept", others=["kept"], reason="x").status_code == 422
    assert post(moderator, "/systems/merge", keep="kept", others=["other"], reason="the same weights").status_code == 202
    work()
    assert list(System.objects.values_list("slug", flat=True)) == ["kept"]


def test_audit_log_can_be_verified_through_the_api(moderator: Any) -> None:
    from gluepot.board.moderation.audit import record

    for number in range(3):
        record("command", "counted", str(number))
    lines = moderator.get("/api/my/moderation/audit").json()
    assert [line["previous"] for line in lines[1:]] == [line["digest"] for line in lines[:-1]]
    assert [line["pk"] for line in moderator.get(f"/api/my/moderation/audit?after={lines[0]['pk']}&limit=1").json()] == [lines[1]["pk"]]
