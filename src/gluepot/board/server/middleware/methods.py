"""Methods: what is public is read, by GET or HEAD, and whatever else is asked for is refused with these two.

The rooms of people who are signed in take forms besides, and programs with a key may change what is theirs.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import is_valid_path

from gluepot.board.server.middleware.private import room_of

ALLOWED = ("GET", "HEAD")
FORMS = (*ALLOWED, "POST")
PROGRAMS = (*FORMS, "PATCH", "DELETE")
LONGEST_NUMBER = 20


def allowed_at(path: str) -> tuple[str, ...]:
    """The methods that an address knows.

    >>> allowed_at("/b/faroe/1.0"), allowed_at("/account/login/")
    (('GET', 'HEAD'), ('GET', 'HEAD', 'POST'))
    """
    room = room_of(path)
    return ALLOWED if room is None else PROGRAMS if room.startswith("api/") else FORMS


class Methods:
    """Refuses before anything is read or looked up; turns HEAD into GET for everything within, and keeps the body back.

    waitress would send the body, and pages need not know.
    """

    def __init__(self, answer: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        allowed = allowed_at(request.path_info)
        if request.method not in allowed and allowed is not PROGRAMS:  # those know what each of their addresses takes
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
    """The page on which a form stands whose address somebody opened, or came back to: the nearest one above it."""
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
