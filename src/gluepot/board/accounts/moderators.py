"""Creation of moderators from the command line, for which no moderator needs to exist."""

from allauth.account.models import EmailAddress
from django.db import transaction

from gluepot.board.accounts.models import Member
from gluepot.board.moderation.audit import record


def make_moderator(email: str, password: str) -> bool:
    """Create or update an account with all rights and a verified address; return whether it is new."""
    with transaction.atomic():
        member = Member.objects.filter(email=email.lower()).first()
        fresh = member is None
        if member is None:
            member = Member.objects.create_superuser(email, password)
        else:
            member.is_staff = member.is_superuser = member.is_active = True
            member.set_password(password)
            member.save()
        EmailAddress.objects.update_or_create(user=member, email=member.email, defaults={"verified": True, "primary": True})
        record("command", "made a moderator", f"account {member.pk}")
    return fresh
