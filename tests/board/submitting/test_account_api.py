"""API of accounts: keys, teams, data export and deletion."""

import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core import mail
from tests.board.submitting.people import PASSWORD, Visitor, make_member


def program(member: Any, scope: str = "account") -> Any:
    from gluepot.board.accounts.models import ApiKey

    return Visitor("program", key=ApiKey.make(member, "laptop", scope)[1]).client()


@pytest.fixture
def ann(open_board: Path) -> Any:
    member = make_member("ann@example.org")
    member.set_password(PASSWORD)
    member.save()
    return member


def send(client: Any, method: str, path: str, body: Any = None) -> Any:
    return getattr(client, method)(f"/api/my{path}", body or {}, content_type="application/json")


def test_key_is_created_shown_once_and_revoked(ann: Any) -> None:
    client = program(ann)
    made = send(client, "post", "/keys", {"name": "cluster", "scope": "read", "days": 3})
    assert made.status_code == 201
    fresh = Visitor("fresh", key=made.json()["secret"]).client()
    assert fresh.get("/api/my/account").json()["key"]["scope"] == "read"
    assert made.json()["secret"] not in client.get("/api/my/keys").content.decode()
    assert send(client, "delete", f"/keys/{made.json()['pk']}").json()["revoked"]
    assert fresh.get("/api/my/account").status_code == 401
    assert send(client, "delete", f"/keys/{made.json()['pk']}").status_code == 404


@pytest.mark.parametrize("body", [{"name": " "}, {"name": "x", "scope": "all"}, {"name": "x", "days": 91}, {"name": "x", "more": 1}])
def test_invalid_key_is_refused(ann: Any, body: dict[str, Any]) -> None:
    assert send(program(ann), "post", "/keys", body).status_code == 422


def test_key_cannot_create_one_with_more_rights(ann: Any) -> None:
    from gluepot.board.accounts.models import ApiKey, Member

    assert send(program(ann, "submit"), "post", "/keys", {"name": "x"}).status_code == 403
    Member.objects.update(is_staff=True)
    refused = send(program(ann), "post", "/keys", {"name": "x", "scope": "moderate"})
    assert refused.status_code == 403
    assert "on the site" in refused.json()["detail"]
    assert not ApiKey.objects.filter(scope="moderate").exists()


def test_moderation_key_expires_in_a_week_and_needs_a_second_factor(ann: Any, client_of: Any) -> None:
    from tests.board.submitting.people import make_moderator, sign_in

    from gluepot.board.accounts.models import ApiKey

    asked = {"name": "x", "scope": "moderate", "days": "90"}
    moderator = make_moderator()
    assert client_of(ann).post("/account/keys", asked).status_code == 422
    assert client_of(moderator).post("/account/keys", asked).status_code == 422
    browser = client_of()
    sign_in(browser, moderator, second_factor=True)
    assert browser.post("/account/keys", asked).status_code == 200
    made = ApiKey.objects.get(scope="moderate")
    assert (made.expires - made.made).days <= 7


def test_team_can_be_created_joined_led_and_left(ann: Any) -> None:
    leader, bob = program(ann), program(make_member("bob@example.org"))
    team = send(leader, "post", "/teams", {"name": "glue  pot"}).json()
    assert (team["name"], team["leads"]) == ("glue pot", True)
    room = f"/teams/{team['number']}"
    assert bob.get(f"/api/my{room}").status_code == 404
    assert send(leader, "post", f"{room}/invitations", {"email": "no address"}).status_code == 422
    invited = send(leader, "post", f"{room}/invitations", {"email": "bob@example.org"}).json()
    assert [one["email"] for one in invited["invitations"]] == ["bob@example.org"]
    secret = mail.outbox[0].body.split("/account/invitations/")[1].split()[0]
    assert send(leader, "post", "/invitations", {"secret": secret}).status_code == 409  # sent to another address
    joined = send(bob, "post", "/invitations", {"secret": secret}).json()
    assert [one["email"] for one in joined["members"]] == ["ann@example.org", "bob@example.org"]
    assert "invitations" not in joined
    own, other = (one["place"] for one in joined["members"])
    assert send(bob, "delete", f"{room}/members/{own}").status_code == 404
    assert send(leader, "delete", f"{room}/members/{own}").status_code == 409  # the team would have no lead
    assert all(one["leads"] for one in send(leader, "post", f"{room}/members/{other}/lead").json()["members"])
    assert send(leader, "delete", f"{room}/members/{own}").json() == {"removed": own}
    assert leader.get(f"/api/my{room}").status_code == 404
    again = send(bob, "post", f"{room}/invitations", {"email": "cid@example.org"}).json()["invitations"][0]["pk"]
    assert send(bob, "delete", f"{room}/invitations/{again}").json()["invitations"] == []
    assert send(bob, "delete", f"{room}/invitations/{again}").status_code == 404


def test_account_is_exported_and_its_deletion_needs_the_password(ann: Any) -> None:
    from gluepot.board.accounts.models import Member

    client = program(ann)
    exported = client.get("/api/my/account/export")
    with zipfile.ZipFile(BytesIO(exported.content)) as archive:
        assert msgspec.json.decode(archive.read("account.json"))["account"]["email"] == "ann@example.org"
    assert send(client, "delete", "/account").status_code == 422
    assert send(client, "delete", "/account", {"password": "wrong"}).status_code == 403
    assert Member.objects.count() == 1
    assert send(client, "delete", "/account", {"password": PASSWORD}).json() == {"deleted": "ann@example.org"}
    assert not Member.objects.exists()
    assert client.get("/api/my/account").status_code == 401


def test_password_guesses_by_deletion_are_rate_limited(ann: Any) -> None:
    client = program(ann)
    answers = [send(client, "delete", "/account", {"password": "wrong"}).status_code for _ in range(12)]
    assert answers[0] == 403
    assert answers[-1] == 429


def test_wrong_method_gets_405_with_the_allowed_ones(ann: Any) -> None:
    refused = program(ann).put("/api/my/keys", {}, content_type="application/json")
    assert refused.status_code == 405
    assert set(refused.headers["Allow"].split(", ")) == {"GET", "POST"}
