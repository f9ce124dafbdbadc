"""Template context of every page: site name, languages, and whether submissions are open."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language

from gluepot import __version__
from gluepot.board.server.addresses import in_language
from gluepot.board.submitting.intake.receiving import open_names


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the context of the page header and footer."""
    here = request.get_full_path()
    return {
        "site_name": settings.SITE_NAME,
        "site_summary": settings.SITE_SUMMARY,
        "gluepot_version": __version__,
        "language": get_language(),
        "languages": [(code, name, in_language(here, code)) for code, name in settings.LANGUAGES],
        "takes_submissions": bool(open_names()),
        "prefix": "" if get_language() == settings.LANGUAGE_CODE else f"/{get_language()}",
    }
