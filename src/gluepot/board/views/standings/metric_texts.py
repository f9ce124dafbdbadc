"""What a metric is, in the visitor's language."""

from django.utils.translation import gettext as _

from gluepot.metrics import METRICS


def metric_summary(name: str) -> str:
    """Its declared summary, translated where somebody did; nothing of a metric that nobody knows."""
    known = METRICS.get(name)
    return _(known.summary) if known else ""
