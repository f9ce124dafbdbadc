"""Moderation as a Django application, and the admin that it takes place in."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class ModerationSite(AdminConfig):
    """Django's admin, which asks for a second factor."""

    default_site = "gluepot.board.moderation.site.SecondFactorSite"


class Moderation(AppConfig):
    """The trail of decisions."""

    name = "gluepot.board.moderation"
    label = "moderation"
