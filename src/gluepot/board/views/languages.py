"""Languages by name, in the visitor's own."""

from django.utils.translation import get_language_info
from django.utils.translation import gettext as _


def language_name(code: str) -> str:
    """A language in the visitor's own; its code where nobody knows it."""
    if code == "mul":
        return _("several languages")
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code
