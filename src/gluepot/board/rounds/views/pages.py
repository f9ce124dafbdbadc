"""A page of a round: in the language that the round declares or the browser asks for, and an apology where there is none."""

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
    """Of the pages' own words: what the round declares, the rater chose, or the browser asks for. Items have their task's."""
    return of.language if of is not None and of.language else get_language_from_request(request)


def page(name: str, of: AnnotationRound | None = None, status: int = 200, **context: Any) -> HttpResponse:
    """A template without anything that pages of the board have besides: visitors' accounts, messages, addresses."""
    language = get_language() or settings.LANGUAGE_CODE
    known = {"round": of, "language": language, "languages": settings.LANGUAGES, "site_name": settings.SITE_NAME}
    text = get_template(f"rounds/{name}.html").render({**known, **context})
    return HttpResponse(text, status=status, headers={"Content-Language": language, "Vary": "Accept-Language, Cookie"})


def nothing_page(request: HttpRequest) -> HttpResponse:
    """The same for a link that never was, that was revoked, and of a round that is closed."""
    with override(language_of(request)):
        return page("nothing", status=404)


def failed_page(request: HttpRequest) -> HttpResponse:
    with override(language_of(request)):
        return page("failed", status=503)


def choose_language(request: HttpRequest) -> HttpResponse | None:
    """Back to the link itself, with the language that was chosen kept by the browser."""
    chosen = request.GET.get("language", "")
    if chosen not in dict(settings.LANGUAGES):
        return None
    response = HttpResponseRedirect(request.path)
    response.set_cookie(settings.LANGUAGE_COOKIE_NAME, chosen, httponly=True, samesite="Lax")
    return response


def without_nul(sent: QueryDict) -> QueryDict:
    """A form without the one character that no keyboard writes and no database takes."""
    found = QueryDict(mutable=True)
    for name, values in sent.lists():
        found.setlist(name, [str(value).replace("\0", "") for value in values])
    return found


def guarded(view: View) -> View:
    """What fails is told to the person and to the log, which does not learn the link."""

    @wraps(view)
    def answer(request: HttpRequest, token: str) -> HttpResponse:
        try:
            if request.method == "POST":
                request.POST = without_nul(request.POST)  # type: ignore[assignment]
            return view(request, token)
        except (SuspiciousOperation, MultiPartParserError):  # no form of ours: nothing failed
            return nothing_page(request)
        except Exception:
            LOG.exception("a page of a round failed")
            return failed_page(request)

    return answer
