"""Language of a first visit: the browser's preference, until the visitor chooses one."""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import get_language_from_path
from django.utils.translation.trans_real import parse_accept_lang_header

from gluepot.board.server.addresses import in_language

OUTSIDE = ("none", "cross-site")
"""Values of Sec-Fetch-Site for visits that come from no page of this site."""
OWN = ("/api/", "/static/", "/robots.txt", "/sitemap.xml", "/snap/")


class FirstVisitLanguageMiddleware:
    """Middleware that redirects visits from elsewhere to an English URL to the same page in the browser's language."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        wanted = self._wanted(request)
        if wanted == settings.LANGUAGE_CODE:
            return self.answer(request)
        response = HttpResponseRedirect(in_language(request.get_full_path(), wanted))
        response.headers["Vary"] = "Accept-Language, Sec-Fetch-Site, Referer"
        response.headers["Cache-Control"] = "no-store"
        return response

    @staticmethod
    def _wanted(request: HttpRequest) -> str:
        path = request.path_info
        if request.method != "GET" or not _comes_from_outside(request) or path.startswith(OWN) or get_language_from_path(path) is not None:
            return str(settings.LANGUAGE_CODE)
        known = dict(settings.LANGUAGES)
        for code, _quality in parse_accept_lang_header(request.headers.get("Accept-Language", "")):
            if (base := code.partition("-")[0]) in known:
                return base
        return str(settings.LANGUAGE_CODE)


def _comes_from_outside(request: HttpRequest) -> bool:
    """Return whether no page of this site led here; browsers name the site over HTTPS and to localhost, elsewhere only the referrer."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is None:
        return urlsplit(request.headers.get("Referer", "")).netloc != request.get_host()
    return site in OUTSIDE and request.headers.get("Sec-Fetch-Dest", "document") == "document"
