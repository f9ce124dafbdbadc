"""The board as a Django application."""

from django.apps import AppConfig


class Board(AppConfig):
    """All tables of the board."""

    name = "gluepot.board"
    label = "board"
