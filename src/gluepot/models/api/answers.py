"""What a server answered, read with a limit: it is a stranger's, and may never end or be nested without end."""

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from gluepot.errors import GluepotError

if TYPE_CHECKING:
    import httpx

LARGEST = 32 * 1024**2
"""Bytes of one answer: a thousand times what the longest has."""


class ServerAnswer(Struct, frozen=True):
    """Status, headers and body of one answer."""

    status: int
    headers: "httpx.Headers"
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def document(self) -> Any:
        """The JSON in it; None where there is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


def request(http: "httpx.Client", method: str, address: str, **options: Any) -> ServerAnswer:
    """One request with an answer that is not larger than any honest one."""
    with http.stream(method, address, **options) as response:
        body = bytearray()
        for part in response.iter_bytes():
            body += part
            if len(body) > LARGEST:
                raise GluepotError(f"{address}: the answer is larger than {LARGEST // 1024**2} MB. Is it a language model's server?")
        return ServerAnswer(response.status_code, response.headers, bytes(body))
