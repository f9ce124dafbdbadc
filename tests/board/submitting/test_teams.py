"""Teams: creation, invitations bound to an email address, leaving; and API keys."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from tests.board.submitting.people import Visitor, make_member


@pytest.fixture
def team(open_board: Path) -> tuple[Any, Any]:
    """Return Ann and the team that she leads."""
    from gluepot.board.accounts.teams import make_team

    ann = make_member("ann@example.org")
    return ann, make_team(ann, "glue")


def invited(ann: Any, team: Any, email: str) -> str:
    answer = Visitor("ann", ann).client().post(f"/account/teams/{team.pk}", {"email": email})
    assert answer.status_code == 302
    letter = mail.outbox[-1]
    assert letter.to == [email]
    found = re.search(r"http://localhost(/account/invitations/\S+)", letter.body)
    assert found
    return found[1]


def test_invitation_admits_its_recipient_once(team: tuple[Any, Any]) -> None:
    from gluepot.board.accounts.models import Invitation

    bob = make_member("bob@example.org")
    link = invited(*team, "bob@example.org")
    client = Visitor("bob", bob).client()
    assert "“glue”" in client.get(link).content.decode()
    client.post(link)
    assert bob.teams.filter(name="glue").exists()
    assert client.get(link).status_code == 404
    assert not Invitation.objects.exists()


def test_forwarded_invitation_is_refused(team: tuple[Any, Any]) -> None:
    eve = make_member("eve@example.org")
    link = invited(*team, "bob@example.org")
    answer = Visitor("eve", eve).client().post(link, follow=True)
    assert "written to another address" in answer.content.decode()
    assert not eve.teams.filter(name="glue").exists()


def test_invitation_is_stored_hashed_and_expires(team: tuple[Any, Any]) -> None:
    from django.utils import timezone

    from gluepot.board.accounts.models import Invitation

    link = invited(*team, "bob@example.org")
    found = Invitation.objects.get()
    assert found.digest not in link
    assert link.rpartition("/")[2] not in str(vars(found))
    Invitation.objects.update(expires=timezone.now())
    assert Visitor("bob", make_member("bob@example.org")).client().get(link).status_code == 404


def test_team_always_has_a_lead(team: tuple[Any, Any]) -> None:
    from gluepot.board.accounts.models import Membership

    ann, glue = team
    bob = make_member("bob@example.org")
    his = Membership.objects.create(team=glue, member=bob)
    hers = glue.memberships.get(member=ann)
    client, room = Visitor("ann", ann).client(), f"/account/teams/{glue.pk}/members"
    assert "needs somebody who leads" in client.post(f"{room}/{hers.pk}/remove", follow=True).content.decode()
    assert Visitor("bob", bob).client().post(f"{room}/{hers.pk}/remove").status_code == 404
    client.post(f"{room}/{his.pk}/lead")
    client.post(f"{room}/{hers.pk}/remove")
    assert list(glue.memberships.values_list("member__email", "leads")) == [("bob@example.org", True)]


def test_submission_of_a_new_member_is_visible_to_the_team(team: tuple[Any, Any], sample: Path, work: Callable[[], None]) -> None:
    from gluepot.board.accounts.models import Membership

    ann, glue = team
    bob = make_member("bob@example.org")
    Membership.objects.create(team=glue, member=bob)
    with sample.open("rb") as stream:
        sent = Visitor("bob", bob).client().post("/submit/pocket", {"name": "ours", "files": stream, "team": glue.pk, "draft": "1"})
    assert sent.status_code == 302
    assert "ours" in Visitor("ann", ann).client().get("/submissions").content.decode()


def test_team_name_with_line_breaks_adds_no_email_header(team: tuple[Any, Any]) -> None:
    from gluepot.board.accounts.models import Team

    ann, glue = team
    Team.objects.update(name="glue\r\nBcc: eve@example.org")
    invited(ann, glue, "bob@example.org")
    letter = mail.outbox[-1]
    assert letter.message()["Bcc"] is None
    assert "\n" not in letter.subject


def test_key_is_shown_once_stored_hashed_and_can_be_revoked(open_board: Path) -> None:
    from gluepot.board.accounts.models import ApiKey

    client = Visitor("ann", make_member("ann@example.org")).client()
    page = client.post("/account/keys", {"name": "laptop", "scope": "read", "days": "30"}).content.decode()
    found = re.search(r'<pre id="secret">(gluepot_\S+)</pre>', page)
    assert found
    secret = found[1]
    assert secret not in client.get("/account/").content.decode()
    key = ApiKey.objects.get()
    assert secret not in str(vars(key))
    program = Visitor("program", key=secret).client()
    assert program.get("/api/my/submissions").status_code == 200
    client.post(f"/account/keys/{key.pk}/revoke")
    assert program.get("/api/my/submissions").status_code == 401


@pytest.mark.parametrize("days", ["0", "91", "x", ""])
def test_a_key_is_valid_for_ninety_days_at_most(open_board: Path, days: str) -> None:
    from gluepot.board.accounts.models import ApiKey

    client = Visitor("ann", make_member("ann@example.org")).client()
    assert client.post("/account/keys", {"name": "x", "scope": "read", "days": days}).status_code == 422
    assert not ApiKey.objects.exists()
