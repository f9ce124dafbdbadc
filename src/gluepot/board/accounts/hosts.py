"""The address that letters of accounts name: the board's own, whatever a request says that it came to.

Links in letters are made from the request's host. Its name is one that the keeper allowed, but its port is the visitor's to write,
and whoever listens there would be sent the key that resets a password.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBase

from gluepot.board.server.accounts import PUBLIC
from gluepot.board.server.middleware.private import room_of

USUAL = ("80", "443")


class OwnHost:
    """Gives the views of accounts the board's own host; after the check of forms, which compares the visitor's own."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.answer(request)

    def process_view(self, request: HttpRequest, *given: Any) -> None:
        if room_of(request.path_info) == "account":
            request.META["HTTP_HOST"] = own_host(request)


def own_host(request: HttpRequest) -> str:
    """The host of the address that the keeper named, or else the name that was asked for at the port that is served."""
    named = urlsplit(settings.SITE_ADDRESS).netloc
    if named and validate_host(split_domain_port(named)[0], settings.ALLOWED_HOSTS):
        return named
    name, _ = split_domain_port(request.get_host())
    port = str(request.META.get("SERVER_PORT", ""))
    return name if PUBLIC or port in ("", *USUAL) else f"{name}:{port}"
