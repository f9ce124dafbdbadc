"""Django application of annotation rounds."""

from django.apps import AppConfig


class Rounds(AppConfig):
    """Application with the tables of rounds, raters and votes."""

    name = "gluepot.board.rounds"
    label = "rounds"
