"""Metric summaries in the visitor's language."""

from django.utils.translation import gettext as _

from gluepot.metrics import METRICS


def metric_summary(name: str) -> str:
    """Return the summary of a metric, translated if possible; empty for unknown metrics."""
    known = METRICS.get(name)
    return _(known.summary) if known else ""
