"""API keys: creation, limits on number and scope, and revocation."""

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
"""Scopes that a key of each scope includes."""


class KeyRefused(Exception):
    """Raised, with a message for the user, when a key cannot be created."""


def make_key(member: Member, name: str, scope: str, days: int, by: ApiKey | None = None) -> tuple[ApiKey, str]:
    """Create a key and return it with its secret; one created `by` a key has at most the rights of that key."""
    if by is not None and scope not in ALLOWED[by.scope]:
        raise KeyRefused(_("Create a key with this permission on the site while signed in."))
    if scope == Scope.MODERATE and not may_moderate(member):
        raise KeyRefused(_("Only moderators with a second factor can have keys for moderation."))
    if member.keys.filter(revoked=None, expires__gt=timezone.now()).count() >= MOST_KEYS:
        raise KeyRefused(_("You have %(n)s keys already. Revoke one first.") % {"n": MOST_KEYS})
    key, secret = ApiKey.make(member, name, scope, days)
    record(str(member.pk), "made a key", f"key {key.pk}", scope=key.scope)
    return key, secret


def may_moderate(member: Member) -> bool:
    """Whether a member is currently a moderator with a second factor."""
    return member.is_active and member.is_staff and is_mfa_enabled(member)


def revoke_key(member: Member, number: int) -> ApiKey | None:
    """Revoke a key of a member and return it; None if the member has no such key."""
    found = ApiKey.objects.filter(pk=number, member=member, revoked=None).first()
    if found is not None:
        found.revoked = timezone.now()
        found.save(update_fields=["revoked"])
        record(str(member.pk), "revoked a key", f"key {found.pk}")
    return found
