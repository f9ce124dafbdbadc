"""HEAD requests: answered as GET, without the body; waitress would send it, and pages need not know."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase


class Heads:
    """Turns HEAD into GET for everything within, and keeps the body back."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method != "HEAD":
            return self.answer(request)
        request.method = "GET"
        response = self.answer(request)
        request.method = "HEAD"
        headers = dict(response.headers)
        if isinstance(response, HttpResponse):
            headers.setdefault("Content-Length", str(len(response.content)))
        response.close()
        return HttpResponse(status=response.status_code, headers=headers)
