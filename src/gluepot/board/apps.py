"""Django application of the board."""

from django.apps import AppConfig


class Board(AppConfig):
    """Application config of the board."""

    name = "gluepot.board"
    label = "board"
