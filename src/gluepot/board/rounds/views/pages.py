"""Rendering of round pages, in the language of the round or the browser, and error pages."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.http.multipartparser import MultiPartParserError
from django.template.loader import get_template
from django.utils.translation import get_language, get_language_from_request, override

from gluepot.board.rounds.models import AnnotationRound

LOG = logging.getLogger("django.gluepot.rounds")
View = Callable[[HttpRequest, str], HttpResponse]


def language_of(request: HttpRequest, of: AnnotationRound | None = None) -> str:
    """Return the interface language: the round's, the rater's choice, or the browser's. Items have the language of their task."""
    return of.language if of is not None and of.language else get_language_from_request(request)


def page(name: str, of: AnnotationRound | None = None, status: int = 200, **context: Any) -> HttpResponse:
    """Render a template without the context of board pages: accounts, messages, URLs."""
    language = get_language() or settings.LANGUAGE_CODE
    known = {"round": of, "language": language, "languages": settings.LANGUAGES, "site_name": settings.SITE_NAME}
    text = get_template(f"rounds/{name}.html").render({**known, **context})
    return HttpResponse(text, status=status, headers={"Content-Language": language, "Vary": "Accept-Language, Cookie"})


def nothing_page(request: HttpRequest) -> HttpResponse:
    """Return the same 404 for a link that never existed, was revoked, or belongs to a closed round."""
    with override(language_of(request)):
        return page("nothing", status=404)


def failed_page(request: HttpRequest) -> HttpResponse:
    with override(language_of(request)):
        return page("failed", status=503)


def choose_language(request: HttpRequest) -> HttpResponse | None:
    """Redirect to the link itself and store the chosen language in a cookie; None if no language was chosen."""
    chosen = request.GET.get("language", "")
    if chosen not in dict(settings.LANGUAGES):
        return None
    response = HttpResponseRedirect(request.path)
    response.set_cookie(settings.LANGUAGE_COOKIE_NAME, chosen, httponly=True, samesite="Lax")
    return response


def without_nul(sent: QueryDict) -> QueryDict:
    """Return a form without NUL, the one character that no keyboard writes and no database accepts."""
    found = QueryDict(mutable=True)
    for name, values in sent.lists():
        found.setlist(name, [str(value).replace("\0", "") for value in values])
    return found


def guarded(view: View) -> View:
    """Wrap a view so that a failure gives an error page and a log record, which does not contain the link."""

    @wraps(view)
    def answer(request: HttpRequest, token: str) -> HttpResponse:
        try:
            if request.method == "POST":
                request.POST = without_nul(request.POST)  # type: ignore[assignment]
            return view(request, token)
        except (SuspiciousOperation, MultiPartParserError):  # not one of our forms: nothing failed
            return nothing_page(request)
        except Exception:
            LOG.exception("a page of a round failed")
            return failed_page(request)

    return answer
