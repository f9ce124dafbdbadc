"""Client addresses: taken from forwarding headers of trusted proxies, and from the connection otherwise."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from gluepot.board.server.proxies import PROXIES

PROTOCOL = "HTTP_X_FORWARDED_PROTO"
TOLD = (PROTOCOL, "HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_PORT", "HTTP_FORWARDED", "HTTP_X_REAL_IP")
"""Headers in which proxies describe the client."""


class ClientAddressMiddleware:
    """Middleware that sets REMOTE_ADDR, used by all limits, to the client's address, and removes untrusted forwarding headers."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        facts = request.META
        peer, trusted = facts.get("REMOTE_ADDR", ""), PROXIES.trust(facts.get("REMOTE_ADDR", ""))
        facts["REMOTE_ADDR"] = PROXIES.visitor(peer, facts.get("HTTP_X_FORWARDED_FOR", ""))
        for name in TOLD:
            if not (trusted and name == PROTOCOL):
                facts.pop(name, None)
        return self.answer(request)
