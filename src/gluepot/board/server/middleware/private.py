"""The rooms of people who are signed in: which addresses take a body, how large, and that none of their answers is kept for others.

Everything else of the board can only be read, without a body and without a cookie.
"""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.http.response import HttpResponseBase

LANGUAGES = ("sv", "da", "ru", "eu")
"""Of addresses; the settings are not read in the loop that waits for connections."""
FORM = 2**16
"""Bytes of a form without a file."""
UPLOAD = 65 * 2**20
"""Bytes of a form with a submission in it."""
API = "api/my"
ROOMS: dict[str, int] = {
    "account": FORM,
    "submit": UPLOAD,
    "submissions": FORM,
    "moderation": 2**20,
    "status": 0,
    "status.json": 0,
    API: UPLOAD,
}
"""The first words of addresses that are nobody else's, and the bytes that may be sent there."""


def room_of(path: str) -> str | None:
    """The private room of an address, in whatever language.

    >>> room_of("/sv/submit/faroe/1.0"), room_of("/b/faroe/1.0"), room_of("/api/my/submissions")
    ('submit', None, 'api/my')
    """
    words = [word for word in path.partition("?")[0].split("/") if word][:3]
    if words and words[0] in LANGUAGES:
        del words[0]
    return next((room for room in ("/".join(words[:2]), words[0] if words else "") if room in ROOMS), None)


def body_limit(method: str, address: str) -> int:
    """Bytes that a request may bring; none where pages are only read.

    A call of the API may have a small body whatever its method, so that it is told which methods there are.

    >>> body_limit("GET", "/b/faroe/1.0"), body_limit("POST", "/account/login"), body_limit("GET", "/api/my/keys")
    (0, 65536, 65536)
    """
    room = room_of(urlsplit(address).path)
    if method in ("POST", "PATCH", "DELETE", "PUT"):
        return ROOMS[room] if room else 0
    return FORM if room == API else 0


class Private:
    """Marks answers of these rooms as nobody else's, and keeps a form that is too large for its room out."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.answer(request)
        if room_of(request.path_info) is not None:
            response.headers["Cache-Control"] = "private, no-store"
        return response
