"""Methods: everything here is read, by GET or HEAD, and whatever else is asked for is refused with these two."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

ALLOWED = ("GET", "HEAD")


class Methods:
    """Refuses before anything is read or looked up; turns HEAD into GET for everything within, and keeps the body back.

    waitress would send the body, and pages need not know.
    """

    def __init__(self, answer: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in ALLOWED:
            return _refused(request)
        return self._head(request) if request.method == "HEAD" else self.answer(request)

    def _head(self, request: HttpRequest) -> HttpResponse:
        request.method = "GET"
        response = self.answer(request)
        request.method = "HEAD"
        headers = dict(response.headers)
        if isinstance(response, HttpResponse):
            headers.setdefault("Content-Length", str(len(response.content)))
        response.close()
        return HttpResponse(status=response.status_code, headers=headers)


def _refused(request: HttpRequest) -> HttpResponse:
    from gluepot.board.pages.errors import wrong_method

    return wrong_method(request, ALLOWED)
