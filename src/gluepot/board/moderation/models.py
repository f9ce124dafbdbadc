"""The trail of what was done by whom: only ever added to, each line bound to the one before it."""

from django.db import models


class AuditEvent(models.Model):
    """One line of the trail. The database refuses to change or remove it, whoever asks."""

    at = models.DateTimeField()
    actor = models.CharField(max_length=100)
    """Who: an account's number, `worker`, or a command."""
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=200)
    details = models.JSONField(default=dict)
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64, unique=True)

    class Meta:
        verbose_name = "audit event"
