"""Keys of programs: made, limited in number and scope, and revoked."""

from allauth.mfa.utils import is_mfa_enabled
from django.utils import timezone
from django.utils.translation import gettext as _

from gluepot.board.accounts.models import ApiKey, Member
from gluepot.board.moderation.audit import record

MOST_KEYS = 20
Scope = ApiKey.Scope
ALLOWED: dict[str, tuple[str, ...]] = {
    Scope.READ: (Scope.READ,),
    Scope.SUBMIT: (Scope.READ, Scope.SUBMIT),
    Scope.ACCOUNT: (Scope.READ, Scope.SUBMIT, Scope.ACCOUNT),
    Scope.MODERATE: (Scope.READ, Scope.MODERATE),
}
"""What a key of each scope may do."""


class KeyRefused(Exception):
    """Why there is no such key, in words for whoever asked."""


def make_key(member: Member, name: str, scope: str, days: int, by: ApiKey | None = None) -> tuple[ApiKey, str]:
    """A new key and its words, asked for by somebody who is signed in, or `by` a program with a key, which gives no more than it has."""
    if by is not None and scope not in ALLOWED[by.scope]:
        raise KeyRefused(_("A key that may do this is made on the site, by somebody who is signed in."))
    if scope == Scope.MODERATE and not may_moderate(member):
        raise KeyRefused(_("Only moderators with a second factor have keys for moderation."))
    if member.keys.filter(revoked=None, expires__gt=timezone.now()).count() >= MOST_KEYS:
        raise KeyRefused(_("You have %(n)s keys already. Revoke one first.") % {"n": MOST_KEYS})
    key, secret = ApiKey.make(member, name, scope, days)
    record(str(member.pk), "made a key", f"key {key.pk}", scope=key.scope)
    return key, secret


def may_moderate(member: Member) -> bool:
    """Whether somebody is a moderator now, with a second factor."""
    return member.is_active and member.is_staff and is_mfa_enabled(member)


def revoke_key(member: Member, number: int) -> ApiKey | None:
    """One of somebody's keys, from now on useless; None if there is no such key of theirs."""
    found = ApiKey.objects.filter(pk=number, member=member, revoked=None).first()
    if found is not None:
        found.revoked = timezone.now()
        found.save(update_fields=["revoked"])
        record(str(member.pk), "revoked a key", f"key {found.pk}")
    return found
