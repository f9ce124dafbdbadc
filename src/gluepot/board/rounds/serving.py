"""Web server of annotation rounds, a separate process on the board's database, so that the public board stays read-only."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from django.core.handlers.exception import convert_exception_to_response
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.urls import set_urlconf
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]

from gluepot.board.server.connections import Connection, Listener, Site
from gluepot.board.server.middleware.requests import BoundedRequest
from gluepot.board.server.middleware.security import SecurityHeaders
from gluepot.errors import GluepotError, WrongUse

THREADS = 6
LARGEST = 2**17
"""Maximum bytes of a form."""
METHODS = ("GET", "POST")
HEADERS = {"Cache-Control": "private, no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}
URLS = "gluepot.board.rounds.urls"


class RaterHeaders:
    """Middleware that forbids caching, referrers and indexing of raters' pages, and refuses methods other than GET and POST."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method not in METHODS:
            response = HttpResponse(status=405, headers={"Allow": ", ".join(METHODS)})
        else:
            response = self.answer(request)
        for name, value in HEADERS.items():
            response.headers[name] = value
        return response


class RoundsRequest(WSGIRequest):
    """A request that resolves only the URLs of rounds."""

    urlconf = URLS


class RoundsHandler(WSGIHandler):
    """Django's handler with its own URLs and middleware, on the unchanged settings of the board."""

    request_class = RoundsRequest
    middleware = (RaterHeaders, SecurityHeaders, WhiteNoiseMiddleware)

    def load_middleware(self, is_async: bool = False) -> None:
        self._view_middleware: list[Any] = []
        self._template_response_middleware: list[Any] = []
        self._exception_middleware: list[Any] = []
        answer = convert_exception_to_response(self._get_response)  # type: ignore[attr-defined]
        for one in reversed(self.middleware):
            answer = convert_exception_to_response(one(answer))
        self._middleware_chain = answer

    def get_response(self, request: HttpRequest) -> HttpResponse:
        """Respond as Django does, on the URLs of rounds and without a log, which would expose links."""
        set_urlconf(URLS)
        try:
            response = cast(HttpResponse, self._middleware_chain(request))
        finally:
            set_urlconf(None)
        response._resource_closers.append(request.close)  # type: ignore[attr-defined]
        return response


def application() -> RoundsHandler:
    """Return the WSGI application of rounds; the board's database must be open."""
    return RoundsHandler()


class RaterRequest(BoundedRequest):
    """A request of a rater or keeper, whose forms are small."""

    explains_size = False

    def allowed(self) -> tuple[str, ...]:
        return METHODS

    def limit(self) -> int:
        return LARGEST if self.command == "POST" else 0


class RaterConnection(Connection):
    """A connection of a rater or keeper."""

    parser_class = RaterRequest


class RaterListener(Listener):
    """Listener with the connection limits of the board, so that a client with many connections does not block others."""

    channel_class = RaterConnection


def serve_rounds(host: str, ports: Sequence[int], told: Callable[[str], None]) -> None:
    """Serve on the first free port until interrupted; `told` receives the URL."""
    from gluepot.board.server.database import keep_database

    keep_database()
    made, reason = application(), ""
    for port in ports:
        try:
            server = Site(made, host, port, THREADS, RaterListener)
        except ValueError as error:  # raised by waitress for an unknown host name
            raise WrongUse(f"--host {host}: no address of this machine. 127.0.0.1 is for this machine only, 0.0.0.0 for all.") from error
        except OSError as error:
            reason = f"port {port} of {host} cannot be opened: {error.strerror or error}. Choose another with --port."
            continue
        told(f"http://{'localhost' if host in ('127.0.0.1', '0.0.0.0') else host}:{server.port}")  # noqa: S104
        try:
            server.run()
        finally:
            server.close()
        return
    raise GluepotError(reason)
