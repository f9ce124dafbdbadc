"""Language names in the visitor's language."""

from django.utils.translation import get_language_info
from django.utils.translation import gettext as _


def language_name(code: str) -> str:
    """Return the name of a language in the visitor's language; its code if the name is unknown."""
    if code == "mul":
        return _("several languages")
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code
