"""HTTP methods: public pages accept GET and HEAD, and any other method gets a 405.

Private areas also accept forms by POST, and the API also accepts PATCH and DELETE from programs with a key.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import is_valid_path

from gluepot.board.server.middleware.private import private_area

ALLOWED = ("GET", "HEAD")
FORMS = (*ALLOWED, "POST")
PROGRAMS = (*FORMS, "PATCH", "DELETE")
LONGEST_NUMBER = 20


def allowed_at(path: str) -> tuple[str, ...]:
    """Return the methods allowed at a path.

    >>> allowed_at("/b/faroe/1.0"), allowed_at("/account/login/")
    (('GET', 'HEAD'), ('GET', 'HEAD', 'POST'))
    """
    room = private_area(path)
    return ALLOWED if room is None else PROGRAMS if room.startswith("api/") else FORMS


class AllowedMethodsMiddleware:
    """Middleware that refuses methods before any other work, and handles HEAD as a GET without the body.

    waitress would send the body, and views need not handle HEAD.
    """

    def __init__(self, answer: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        allowed = allowed_at(request.path_info)
        if request.method not in allowed and allowed is not PROGRAMS:  # the API checks methods per operation
            return _refused(request, allowed)
        if limit := request.META.get("HTTP_GLUEPOT_TOO_LARGE", ""):
            return _too_large(request, limit)
        response = self._head(request) if request.method == "HEAD" else self.answer(request)
        if response.status_code == 405 and allowed is FORMS:
            return HttpResponseRedirect(page_of_form(request.path_info))
        told = response.headers.get("Allow", "") if response.status_code == 405 and allowed is PROGRAMS else ""
        return _refused(request, tuple(told.split(", "))) if told else response

    def _head(self, request: HttpRequest) -> HttpResponse:
        request.method = "GET"
        response = self.answer(request)
        request.method = "HEAD"
        headers = dict(response.headers)
        if isinstance(response, HttpResponse):
            headers.setdefault("Content-Length", str(len(response.content)))
        response.close()
        return HttpResponse(status=response.status_code, headers=headers)


def page_of_form(path: str) -> str:
    """Return the page of a form whose URL was opened or reloaded: the nearest page above it, else `/`."""
    while path := path.rpartition("/")[0]:
        for page in (path, f"{path}/"):
            if is_valid_path(page):
                return page
    return "/"


def _too_large(request: HttpRequest, limit: str) -> HttpResponse:
    from gluepot.board.views.errors import too_large

    return too_large(request, int(limit) if limit.isdecimal() and len(limit) < LONGEST_NUMBER else 0)


def _refused(request: HttpRequest, allowed: tuple[str, ...]) -> HttpResponse:
    from gluepot.board.views.errors import wrong_method

    return wrong_method(request, allowed)
