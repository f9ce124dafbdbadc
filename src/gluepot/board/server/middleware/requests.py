"""Request limits: no body for read-only pages, and a body of declared length for forms."""

from typing import Any

from waitress.parser import HTTPRequestParser
from waitress.utilities import RequestEntityTooLarge

from gluepot.board.server.middleware.methods import allowed_at
from gluepot.board.server.middleware.private import body_limit

REQUEST = 15.0
"""Seconds for a whole request, from the start of the connection or the end of the previous response."""
TOO_LARGE = "GLUEPOT_TOO_LARGE"
"""Header that reports a body that was too large to the application, with the limit as its value."""
BODY_PACE = 2**15
"""Minimum bytes per second of a form's body, once that time has passed."""


class BoundedRequest(HTTPRequestParser):
    """A request without a body or, for a form, with one of declared length within the limit of its path.

    A refused body is not waited for; what arrives of it is discarded.
    So is a pipelined request: a thread would block with its response until the first one is taken.
    """

    error: Any
    body_rcv: Any
    unwanted = False
    """Whether received data is discarded."""
    explains_size = True
    """Whether the application answers a form that is too large with its own error page."""

    def received(self, data: bytes) -> int:
        consumed: int = super().received(data)
        if self.body_rcv is not None and self._is_wanted():
            return self._keep_body(data, consumed)
        if self.error is not None and not isinstance(self.error, RequestEntityTooLarge):
            self._drop_rest()
        elif self.body_rcv is not None:
            self._refuse_body()
        elif self.completed and not self.empty and data[consumed:].strip():
            self._drop_rest()
        return len(data) if self.unwanted else consumed

    def _keep_body(self, data: bytes, consumed: int) -> int:
        """Accept a form's body as far as it has arrived, and discard anything after it; return the bytes consumed."""
        if isinstance(self.error, RequestEntityTooLarge):  # raised for the limit of read-only pages
            self.error = None
        self.completed = self.error is not None or bool(self.body_rcv.completed)
        if self.completed and data[consumed:].strip():
            self.headers["CONNECTION"] = "close"
            return len(data)
        return consumed

    def _refuse_body(self) -> None:
        """Refuse a body, with an error page where forms are accepted and a plain error elsewhere."""
        limit = self.limit() if self.explains_size and not self.chunked else 0
        self._drop_rest()
        self.error = RequestEntityTooLarge("pages take no body") if self.command in self.allowed() and not limit else None
        if limit:
            self.headers[TOO_LARGE] = str(limit)

    def _is_wanted(self) -> bool:
        return not self.chunked and self.content_length <= self.limit()

    def allowed(self) -> tuple[str, ...]:
        """Return the methods allowed at the request's path."""
        return allowed_at(self.path)

    def limit(self) -> int:
        """Return the maximum bytes of the body at the request's path."""
        return body_limit(self.command, self.path)

    def is_behind(self, seconds: float) -> bool:
        """Whether the body arrives more slowly than the minimum rate."""
        return self.body_rcv is not None and self.body_bytes_received < BODY_PACE * (seconds - REQUEST)

    def _drop_rest(self) -> None:
        self.close()
        self.body_rcv, self.content_length, self.chunked = None, 0, False
        self.headers.pop("CONTENT_LENGTH", None)
        self.headers["CONNECTION"] = "close"
        self.completed, self.expect_continue, self.unwanted = True, False, True
