"""Where a system stands beside the Pareto frontier, in words."""

from django.utils.translation import gettext as _

from gluepot.statistics.pareto import BEATEN, ON


def membership_text(place: str) -> str:
    """On it, certainly beaten, or neither is known."""
    if place == ON:
        return _("on the frontier")
    return _("beaten") if place == BEATEN else _("may be on it")
