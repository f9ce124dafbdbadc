"""Signal handlers for new members: a personal team, and the language in which they read the board."""

from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils.translation import get_language

from gluepot.board.accounts.models import Member, Membership, Team


@receiver(post_save, sender=Member)
def give_team(sender: type[Member], instance: Member, created: bool, **_: Any) -> None:
    """Create the personal team of a new member, since only teams submit, and store the active language."""
    if not created:
        return
    team = Team.objects.create(name=(instance.name or instance.email.partition("@")[0])[:100], personal=True)
    Membership.objects.create(team=team, member=instance, leads=True)
    language = get_language() or "en"
    if language != instance.language:
        Member.objects.filter(pk=instance.pk).update(language=language)
