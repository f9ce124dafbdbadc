"""Submissions as a Django application."""

from django.apps import AppConfig


class Submitting(AppConfig):
    """What people send, and what became of it."""

    name = "gluepot.board.submitting"
    label = "submitting"
