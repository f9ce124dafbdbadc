"""Private areas, for signed-in users: the paths that accept a body, its maximum size, and responses that no cache stores.

Everything else on the board is read-only, without request bodies or cookies.
"""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.http.response import HttpResponseBase

LANGUAGES = ("sv", "da", "ru", "eu")
"""Language prefixes of URLs; Django's settings are not read in the connection loop."""
FORM = 2**16
"""Maximum bytes of a form without a file."""
UPLOAD = 65 * 2**20
"""Maximum bytes of a form with a submission."""
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
"""First path segments of private areas, and the maximum bytes of a request body there."""


def private_area(path: str) -> str | None:
    """Return the private area of a path, in any language; None if it is public.

    >>> private_area("/sv/submit/faroe/1.0"), private_area("/b/faroe/1.0"), private_area("/api/my/submissions")
    ('submit', None, 'api/my')
    """
    words = [word for word in path.partition("?")[0].split("/") if word][:3]
    if words and words[0] in LANGUAGES:
        del words[0]
    return next((room for room in ("/".join(words[:2]), words[0] if words else "") if room in ROOMS), None)


def body_limit(method: str, address: str) -> int:
    """Return the maximum bytes of a request body; 0 for read-only pages.

    An API call may have a small body whatever its method, so that its response can name the allowed methods.

    >>> body_limit("GET", "/b/faroe/1.0"), body_limit("POST", "/account/login"), body_limit("GET", "/api/my/keys")
    (0, 65536, 65536)
    """
    room = private_area(urlsplit(address).path)
    if method in ("POST", "PATCH", "DELETE", "PUT"):
        return ROOMS[room] if room else 0
    return FORM if room == API else 0


class PrivateAreaMiddleware:
    """Middleware that marks responses of private areas as private and not to be stored."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.answer(request)
        if private_area(request.path_info) is not None:
            response.headers["Cache-Control"] = "private, no-store"
        return response
