"""Accounts as a Django application."""

from django.apps import AppConfig


class Accounts(AppConfig):
    """People, teams and keys."""

    name = "gluepot.board.accounts"
    label = "accounts"

    def ready(self) -> None:
        from gluepot.board.accounts import signals  # noqa: F401  connects them
