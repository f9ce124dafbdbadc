"""Django applications of moderation and of its admin site."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class ModerationSite(AdminConfig):
    """Configuration of Django's admin with a second factor."""

    default_site = "gluepot.board.moderation.site.SecondFactorSite"


class Moderation(AppConfig):
    """Configuration of the application, which holds the audit log."""

    name = "gluepot.board.moderation"
    label = "moderation"
