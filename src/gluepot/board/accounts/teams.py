"""Teams: created by a member, joined by invitation, left again. A team with members has at least one leader."""

from datetime import timedelta
from hashlib import sha256
from secrets import token_urlsafe

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from gluepot.board.accounts.models import Invitation, Member, Membership, Team
from gluepot.board.moderation.audit import record
from gluepot.board.server.addresses import home

VALID = timedelta(days=7)
MOST_TEAMS, MOST_INVITATIONS = 20, 50
"""Maximum teams of a member, and open invitations of a team."""


class TeamError(Exception):
    """Raised, with a message for the user, when a team operation is refused."""


def make_team(member: Member, name: str) -> Team:
    """Create a team, led by its creator."""
    if member.memberships.count() >= MOST_TEAMS:
        raise TeamError(_("You are in %(n)s teams already. Leave one first.") % {"n": MOST_TEAMS})
    with transaction.atomic():
        team = Team.objects.create(name=" ".join(name.split()))
        Membership.objects.create(team=team, member=member, leads=True)
        record(str(member.pk), "made a team", f"team {team.pk}")
    return team


def find_membership(member: Member, number: int, *, leads: bool = False) -> Membership:
    """Return a member's place in a shared team, as a leader if `leads`; raise Http404 if there is none."""
    places = Membership.objects.select_related("team", "member").filter(team=number, member=member, team__personal=False)
    found = places.filter(leads=True).first() if leads else places.first()
    if found is None:
        raise Http404(_("There is no such team, or you are not in it."))
    return found


def invite(team: Team, leader: Member, email: str, site: str) -> str:
    """Send an invitation by e-mail; return its secret, of which only the digest is stored."""
    open_ones = team.invitations.filter(expires__gt=timezone.now())
    if open_ones.count() >= MOST_INVITATIONS:
        raise TeamError(_("Too many invitations are open. Take one back first."))
    secret = token_urlsafe(32)
    with transaction.atomic():
        team.invitations.filter(email=email.lower()).delete()
        Invitation.objects.create(team=team, email=email.lower(), digest=_digest(secret), expires=timezone.now() + VALID)
        record(str(leader.pk), "invited", f"team {team.pk}")
    subject = _("Invitation to the team “%(team)s”") % {"team": team.name}
    words = _("%(who)s invites you to the team “%(team)s” on %(site)s. The invitation is valid for %(days)s days:")
    text = words % {"who": leader.email, "team": team.name, "site": settings.SITE_NAME, "days": VALID.days}
    link = f"{site}{home()}/account/invitations/{secret}"
    EmailMessage(" ".join(subject.split()), f"{text}\n\n{link}\n", settings.DEFAULT_FROM_EMAIL, [email]).send()
    return secret


def find_invitation(secret: str) -> Invitation | None:
    """Return the open invitation with this secret, or None."""
    found = Invitation.objects.select_related("team").filter(digest=_digest(secret), expires__gt=timezone.now())
    return found.first() if len(secret) < 100 else None


def join(invitation: Invitation, member: Member) -> None:
    """Add the addressee of an invitation to the team; a forwarded or intercepted invitation is of no use to others."""
    if not EmailAddress.objects.filter(user=member, email__iexact=invitation.email, verified=True).exists():
        raise TeamError(_("This invitation was written to another address. Add that address to your account, or ask for a new invitation."))
    with transaction.atomic():
        Membership.objects.get_or_create(team=invitation.team, member=member)
        record(str(member.pk), "joined", f"team {invitation.team_id}")
        invitation.delete()


def remove(place: Membership, actor: Member) -> None:
    """Remove a member from a team; its only leader must first make another member a leader."""
    with transaction.atomic():
        team = Team.objects.select_for_update(no_key=True).get(pk=place.team_id)
        others = team.memberships.exclude(pk=place.pk)
        if team.personal or (place.leads and not others.filter(leads=True).exists()):
            raise TeamError(_("A team needs somebody who leads it. Let another member lead first."))
        place.delete()
        record(str(actor.pk), "removed a member", f"team {team.pk}", account=place.member_id)


def let_lead(place: Membership, actor: Member) -> None:
    place.leads = True
    place.save(update_fields=["leads"])
    record(str(actor.pk), "let somebody lead", f"team {place.team_id}", account=place.member_id)


def change_membership(own: Membership, other: int, act: str) -> Membership:
    """Remove a member, leave the team, or make a member a leader; return the place concerned."""
    place = own.team.memberships.filter(pk=other).first()
    if place is None or not (own.leads or (act == "remove" and place.pk == own.pk)):
        raise Http404(_("There is no such member."))
    remove(place, own.member) if act == "remove" else let_lead(place, own.member)
    return place


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
