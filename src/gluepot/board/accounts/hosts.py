"""Host in the links of account mail: the board's own, whatever the request's Host header contains.

allauth builds these links from the request's host. Its name is one that the operator allowed, but its port is chosen by the client,
and a server listening there would receive the key that resets a password.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBase

from gluepot.board.server.accounts import PUBLIC
from gluepot.board.server.middleware.private import private_area

USUAL = ("80", "443")


class OwnHost:
    """Middleware that sets the board's own host for account views, after the CSRF check, which compares the client's host."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.answer(request)

    def process_view(self, request: HttpRequest, *given: Any) -> None:
        if private_area(request.path_info) == "account":
            request.META["HTTP_HOST"] = own_host(request)


def own_host(request: HttpRequest) -> str:
    """Return the host of the configured site URL, else the requested name with the served port."""
    named = urlsplit(settings.SITE_ADDRESS).netloc
    if named and validate_host(split_domain_port(named)[0], settings.ALLOWED_HOSTS):
        return named
    name, _ = split_domain_port(request.get_host())
    port = str(request.META.get("SERVER_PORT", ""))
    return name if PUBLIC or port in ("", *USUAL) else f"{name}:{port}"
