"""Model of the audit log: append-only, each event chained to the previous one."""

from django.db import models


class AuditEvent(models.Model):
    """An event of the audit log. A database trigger rejects every update and deletion."""

    at = models.DateTimeField()
    actor = models.CharField(max_length=100)
    """An account's number, `worker` or `command`."""
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=200)
    details = models.JSONField(default=dict)
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64, unique=True)

    class Meta:
        verbose_name = "audit event"
