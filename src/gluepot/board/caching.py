"""Answers kept for as long as nothing changes, compressed once; a browser that has one already is told so."""

import gzip
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from threading import Lock

from django.http import HttpRequest, HttpResponse

from gluepot import __version__
from gluepot.board.standings.field import revision

ROOM = 64 * 2**20
"""Bytes of answers kept."""
SMALL = 500
"""Shorter answers are not worth compressing."""


class Cached:
    """Keeps whole answers to GET requests under the revision of the data that they show."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer
        self.kept: OrderedDict[str, HttpResponse] = OrderedDict()
        self.size = 0
        self.lock = Lock()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method != "GET":
            return self.answer(request)
        packed = "gzip" in request.headers.get("Accept-Encoding", "")
        host = request.get_host()  # some answers name it; and a wrong one is refused before it costs anything
        whole = f"{__version__} {revision()} {packed} {host} {request.get_full_path()}"
        tag = f'W/"{sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()[:24]}"'
        if tag in request.headers.get("If-None-Match", ""):
            return HttpResponse(status=304, headers={"ETag": tag})
        with self.lock:
            if tag in self.kept:
                self.kept.move_to_end(tag)
                return self._copy(self.kept[tag])
        return self._keep(tag, self.answer(request), packed=packed)

    def _keep(self, tag: str, response: HttpResponse, *, packed: bool) -> HttpResponse:
        if response.status_code != 200 or response.streaming:
            return response
        if packed and len(response.content) > SMALL and not response.has_header("Content-Encoding"):
            response.content = gzip.compress(response.content, compresslevel=6, mtime=0)
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.content))
        response.headers["ETag"] = tag
        response.headers["Vary"] = "Accept-Encoding"
        response.headers.setdefault("Cache-Control", "public, max-age=0, must-revalidate")
        with self.lock:
            if len(response.content) < ROOM // 4 and tag not in self.kept:
                self.kept[tag] = response
                self.size += len(response.content)
                while self.size > ROOM:
                    self.size -= len(self.kept.popitem(last=False)[1].content)
        return self._copy(response)

    @staticmethod
    def _copy(response: HttpResponse) -> HttpResponse:
        """Its own headers, so that what is added to one answer is not added to all."""
        return HttpResponse(response.content, status=response.status_code, headers=dict(response.headers))
