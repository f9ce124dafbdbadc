"""The rounds as a Django application of their own."""

from django.apps import AppConfig


class Rounds(AppConfig):
    """Tables of rounds, raters and votes."""

    name = "gluepot.board.rounds"
    label = "rounds"
