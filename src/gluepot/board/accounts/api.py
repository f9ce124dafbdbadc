"""Account endpoints of the API: keys, teams, invitations, data export and account deletion."""

from typing import Any

from allauth.core import ratelimit
from django.conf import settings
from django.core.exceptions import ValidationError as InvalidText
from django.core.validators import validate_email
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router, Schema, Status
from ninja.errors import HttpError
from pydantic import Field

from gluepot.board.accounts.key_auth import REFUSALS, ZIP, Number, Scope, key_of
from gluepot.board.accounts.keys import make_key, revoke_key
from gluepot.board.accounts.models import ApiKey, Membership
from gluepot.board.accounts.privacy import delete_account, export_account
from gluepot.board.accounts.teams import change_membership, find_invitation, find_membership, invite, join, make_team
from gluepot.board.importing.drafts import clean

router = Router(tags=["account"])


class KeyFields(Schema, extra="forbid"):
    """A new key; one for moderation can only be created on the site."""

    name: str = Field(min_length=1, max_length=100, pattern=r"\S")
    scope: Scope = Scope.READ
    days: int = Field(90, ge=1, le=90)


class TeamFields(Schema, extra="forbid"):
    """A new team."""

    name: str = Field(min_length=1, max_length=100, pattern=r"\S")


class InvitationFields(Schema, extra="forbid"):
    """Recipient of an invitation."""

    email: str = Field(max_length=254)


class AcceptanceFields(Schema, extra="forbid"):
    """Secret at the end of the link in an invitation."""

    secret: str = Field(max_length=100)


class DeletionFields(Schema, extra="forbid"):
    """Password that confirms the deletion, as on the page."""

    password: str = Field(max_length=200)


def shown_key(key: ApiKey) -> dict[str, Any]:
    return {name: getattr(key, name) for name in ("pk", "name", "scope", "made", "expires", "used")}


def shown_team(place: Membership) -> dict[str, Any]:
    """Return a team as its members see it; only leaders see open invitations."""
    members = place.team.memberships.select_related("member").order_by("pk")
    found = {"number": place.team_id, "name": place.team.name, "personal": place.team.personal, "leads": place.leads}
    found["members"] = [{"place": one.pk, "email": one.member.email, "leads": one.leads} for one in members]
    if place.leads:
        found["invitations"] = list(place.team.invitations.filter(expires__gt=timezone.now()).values("pk", "email", "expires"))
    return found


@router.get("/account", summary="You and your teams", response={200: dict[str, Any], **REFUSALS})
def account(request: HttpRequest) -> dict[str, Any]:
    """Return the owner, scope and expiry of the key, and the numbers of the teams to submit for."""
    key = key_of(request)
    places = key.member.memberships.select_related("team").order_by("-team__personal", "team__name")
    teams = [{"number": place.team_id, "name": place.team.name, "personal": place.team.personal, "leads": place.leads} for place in places]
    return {"email": key.member.email, "key": {"name": key.name, "scope": key.scope, "expires": key.expires}, "teams": teams}


@router.get("/keys", summary="Your keys", response={200: list[dict[str, Any]], **REFUSALS})
def list_keys(request: HttpRequest) -> list[dict[str, Any]]:
    """List your keys, without their secrets, which are not stored."""
    return [shown_key(key) for key in key_of(request, Scope.ACCOUNT).member.keys.filter(revoked=None).order_by("-pk")]


@router.post("/keys", summary="Make a key", response={201: dict[str, Any], **REFUSALS})
def make(request: HttpRequest, given: KeyFields) -> Status[dict[str, Any]]:
    """Create a key; its secret is in this response only. A key cannot create one with more rights than its own."""
    by = key_of(request, Scope.ACCOUNT)
    key, secret = make_key(by.member, clean(given.name), given.scope, given.days, by)
    return Status(201, {**shown_key(key), "secret": secret})


@router.delete("/keys/{number}", summary="Revoke a key", response={200: dict[str, Any], **REFUSALS})
def revoke(request: HttpRequest, number: Number) -> dict[str, Any]:
    """Revoke a key, which may be the one that authenticates the call."""
    found = revoke_key(key_of(request, Scope.ACCOUNT).member, number)
    if found is None:
        raise Http404("There is no such key, or it is not yours.")
    return {**shown_key(found), "revoked": found.revoked}


@router.get("/teams", summary="Your teams", response={200: list[dict[str, Any]], **REFUSALS})
def list_teams(request: HttpRequest) -> list[dict[str, Any]]:
    """List your teams with their members."""
    places = key_of(request).member.memberships.select_related("team").order_by("-team__personal", "team__name")
    return [shown_team(place) for place in places]


@router.post("/teams", summary="Make a team", response={201: dict[str, Any], **REFUSALS})
def new_team(request: HttpRequest, given: TeamFields) -> Status[dict[str, Any]]:
    """Create a team, which you lead."""
    member = key_of(request, Scope.ACCOUNT).member
    return Status(201, shown_team(find_membership(member, make_team(member, clean(given.name)).pk)))


@router.get("/teams/{number}", summary="A team of yours", response={200: dict[str, Any], **REFUSALS})
def one_team(request: HttpRequest, number: Number) -> dict[str, Any]:
    """Return a team's members and, for its leaders, its open invitations."""
    return shown_team(find_membership(key_of(request).member, number))


@router.post("/teams/{number}/invitations", summary="Invite somebody", response={201: dict[str, Any], **REFUSALS})
def send_invitation(request: HttpRequest, number: Number, given: InvitationFields) -> Status[dict[str, Any]]:
    """Invite somebody by an e-mail with a link; for leaders of the team."""
    member = key_of(request, Scope.ACCOUNT).member
    place = find_membership(member, number, leads=True)
    try:
        validate_email(given.email)
    except InvalidText as error:
        raise HttpError(422, "email: no address that mail can be sent to.") from error
    invite(place.team, member, given.email, settings.SITE_ADDRESS.rstrip("/") or f"{request.scheme}://{request.get_host()}")
    return Status(201, shown_team(place))


@router.delete("/teams/{number}/invitations/{invitation}", summary="Take an invitation back", response={200: dict[str, Any], **REFUSALS})
def take_back(request: HttpRequest, number: Number, invitation: Number) -> dict[str, Any]:
    """Withdraw an open invitation; for leaders of the team."""
    place = find_membership(key_of(request, Scope.ACCOUNT).member, number, leads=True)
    if not place.team.invitations.filter(pk=invitation).delete()[0]:
        raise Http404("There is no such invitation.")
    return shown_team(place)


@router.post("/invitations", summary="Accept an invitation", response={200: dict[str, Any], **REFUSALS})
def accept(request: HttpRequest, given: AcceptanceFields) -> dict[str, Any]:
    """Join the team; only the addressee of the invitation may accept it."""
    member, found = key_of(request, Scope.ACCOUNT).member, find_invitation(given.secret)
    if found is None:
        raise Http404("This invitation is not valid any more. Ask for a new one.")
    join(found, member)
    return shown_team(find_membership(member, found.team_id))


@router.delete("/teams/{number}/members/{other}", summary="Remove a member, or leave", response={200: dict[str, Any], **REFUSALS})
def remove_member(request: HttpRequest, number: Number, other: Number) -> dict[str, Any]:
    """Remove a member by the number of their place; leaders may remove others, everybody may leave."""
    own = find_membership(key_of(request, Scope.ACCOUNT).member, number)
    change_membership(own, other, "remove")
    return {"removed": other}


@router.post("/teams/{number}/members/{other}/lead", summary="Let a member lead", response={200: dict[str, Any], **REFUSALS})
def lead(request: HttpRequest, number: Number, other: Number) -> dict[str, Any]:
    """Make a member a leader, in addition to you."""
    own = find_membership(key_of(request, Scope.ACCOUNT).member, number)
    change_membership(own, other, "lead")
    return shown_team(own)


@router.get("/account/export", summary="Everything about you", response={200: bytes, **REFUSALS}, openapi_extra=ZIP)
def export(request: HttpRequest) -> HttpResponse:
    """Download a zip with one document, and the files of all submissions that you sent."""
    return HttpResponse(export_account(key_of(request, Scope.ACCOUNT).member), content_type="application/zip")


@router.delete("/account", summary="Delete your account", response={200: dict[str, Any], **REFUSALS})
def delete(request: HttpRequest, given: DeletionFields) -> dict[str, Any]:
    """Delete the account, confirmed by the password; this cannot be undone. Published results stay public, without a person's name."""
    member = key_of(request, Scope.ACCOUNT).member
    if not ratelimit.consume(request, action="reauthenticate", user=member):
        raise HttpError(429, "too many wrong passwords; come again in a minute.")
    if not member.check_password(given.password):
        raise HttpError(403, "this is not the password of this account.")
    delete_account(member)
    return {"deleted": member.email}
