"""Django application of accounts."""

from django.apps import AppConfig


class Accounts(AppConfig):
    """Application with the tables of members, teams and API keys."""

    name = "gluepot.board.accounts"
    label = "accounts"

    def ready(self) -> None:
        from gluepot.board.accounts import signals  # noqa: F401  connects the signal handlers
