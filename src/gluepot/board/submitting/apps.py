"""Django application of submissions."""

from django.apps import AppConfig


class Submitting(AppConfig):
    """Configuration of the application."""

    name = "gluepot.board.submitting"
    label = "submitting"
