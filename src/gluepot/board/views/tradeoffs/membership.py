"""Labels for a system's position relative to the Pareto frontier."""

from django.utils.translation import gettext as _

from gluepot.statistics.pareto import BEATEN, ON


def membership_text(place: str) -> str:
    """Return the translated label: on the frontier, certainly beaten, or undecided."""
    if place == ON:
        return _("on the frontier")
    return _("beaten") if place == BEATEN else _("may be on it")
