"""Responses of a server, read with a size limit: it is untrusted, and its body may be endless or nested without limit."""

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from gluepot.errors import GluepotError

if TYPE_CHECKING:
    import httpx

LARGEST = 32 * 1024**2
"""Maximum bytes of a response: a thousand times the longest legitimate one."""


class ServerAnswer(Struct, frozen=True):
    """Status, headers and body of a response."""

    status: int
    headers: "httpx.Headers"
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def document(self) -> Any:
        """Parse the body as JSON; return None if it is not valid."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


def request(http: "httpx.Client", method: str, address: str, **options: Any) -> ServerAnswer:
    """Send a request and return its response; raise GluepotError if it is larger than any legitimate one."""
    with http.stream(method, address, **options) as response:
        body = bytearray()
        for part in response.iter_bytes():
            body += part
            if len(body) > LARGEST:
                raise GluepotError(f"{address}: the answer is larger than {LARGEST // 1024**2} MB. Is it a language model's server?")
        return ServerAnswer(response.status_code, response.headers, bytes(body))
