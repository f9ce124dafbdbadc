"""Requests with limits: no body where pages are only read, and one of a told length where a form is taken."""

from typing import Any

from waitress.parser import HTTPRequestParser
from waitress.utilities import RequestEntityTooLarge

from gluepot.board.server.middleware.methods import allowed_at
from gluepot.board.server.middleware.private import body_limit

REQUEST = 15.0
"""Seconds for a whole request, from the connection's beginning or the last answer's end."""
TOO_LARGE = "GLUEPOT_TOO_LARGE"
"""The header by which the application learns of a body that was too large, and how large it may be."""
BODY_PACE = 2**15
"""Bytes a second that a form must bring, once that time is over."""


class BoundedRequest(HTTPRequestParser):
    """A request without a body, but where a form is taken: of a length that is told before, and within the room's limit.

    A body that nobody wants is not waited for; what comes of it is dropped.
    So is a further request that came along: a thread would wait with its answer for the first one to be taken.
    """

    error: Any
    body_rcv: Any
    unwanted = False
    """Whether something came that is dropped."""
    explains_size = True
    """Whether the application answers with a page of its own where a form is too large."""

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
        """A form's body as far as it has come; whatever follows it is dropped."""
        if isinstance(self.error, RequestEntityTooLarge):  # of the limit for pages, which are only read
            self.error = None
        self.completed = self.error is not None or bool(self.body_rcv.completed)
        if self.completed and data[consumed:].strip():
            self.headers["CONNECTION"] = "close"
            return len(data)
        return consumed

    def _refuse_body(self) -> None:
        """Where a form is taken, a page says that this one is too large; where nothing is, a line does."""
        limit = self.limit() if self.explains_size and not self.chunked else 0
        self._drop_rest()
        self.error = RequestEntityTooLarge("pages take no body") if self.command in self.allowed() and not limit else None
        if limit:
            self.headers[TOO_LARGE] = str(limit)

    def _is_wanted(self) -> bool:
        return not self.chunked and self.content_length <= self.limit()

    def allowed(self) -> tuple[str, ...]:
        """The methods that are known where it goes."""
        return allowed_at(self.path)

    def limit(self) -> int:
        """The bytes that it may bring there."""
        return body_limit(self.command, self.path)

    def is_behind(self, seconds: float) -> bool:
        """Whether less of a body has come than a slow line brings in that time."""
        return self.body_rcv is not None and self.body_bytes_received < BODY_PACE * (seconds - REQUEST)

    def _drop_rest(self) -> None:
        self.close()
        self.body_rcv, self.content_length, self.chunked = None, 0, False
        self.headers.pop("CONTENT_LENGTH", None)
        self.headers["CONNECTION"] = "close"
        self.completed, self.expect_continue, self.unwanted = True, False, True
