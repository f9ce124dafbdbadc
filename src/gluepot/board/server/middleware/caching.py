"""Response cache: responses are compressed once and served until the data changes; a client with a current copy gets a 304."""

import gzip
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from sys import getsizeof
from threading import Lock

from django.http import HttpRequest, HttpResponse

from gluepot import __version__
from gluepot.board.server.middleware.parameters import forget_unknown, known_at
from gluepot.board.server.middleware.private import private_area
from gluepot.board.standings.revisions import pinned_revision, revision

ROOM = 64 * 2**20
"""Maximum bytes of all cached responses, overhead included."""
SMALL = 500
"""Bytes up to which a response is not worth compressing."""
PLACE = 300
"""Bytes of overhead per cached response: its key, the record, its links."""


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A response as cached: its bytes and headers, without the objects that produced them."""

    body: bytes
    headers: tuple[tuple[str, str], ...]

    @property
    def size(self) -> int:
        """Size in memory, in bytes."""
        words = sum(getsizeof(pair) + getsizeof(pair[0]) + getsizeof(pair[1]) for pair in self.headers)
        return getsizeof(self.body) + getsizeof(self.headers) + words + PLACE

    def response(self) -> HttpResponse:
        """Return a response with its own headers, so that additions to one response do not affect others."""
        return HttpResponse(self.body, headers=dict(self.headers))


class ResponseCache:
    """LRU cache of responses, limited in number and size."""

    most = 2000

    def __init__(self) -> None:
        self.answers: OrderedDict[str, CachedResponse] = OrderedDict()
        self.size = 0
        self.lock = Lock()

    def get(self, key: str) -> CachedResponse | None:
        with self.lock:
            if key in self.answers:
                self.answers.move_to_end(key)
            return self.answers.get(key)

    def keep(self, key: str, answer: CachedResponse) -> None:
        if answer.size > ROOM // 4:
            return
        with self.lock:
            if key in self.answers:
                return
            self.answers[key] = answer
            self.size += answer.size
            while self.size > ROOM or len(self.answers) > self.most:
                self.size -= self.answers.popitem(last=False)[1].size


class Turns:
    """Locks by cache key, so that a response requested concurrently is computed once."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.locks: dict[str, tuple[Lock, int]] = {}
        """Lock of each key, with its number of holders and waiters."""

    @contextmanager
    def take(self, key: str) -> Iterator[None]:
        with self.lock:
            own, others = self.locks.get(key, (Lock(), 0))
            self.locks[key] = own, others + 1
        try:
            with own:
                yield
        finally:
            with self.lock:
                left = self.locks[key][1] - 1
                if left:
                    self.locks[key] = own, left
                else:
                    del self.locks[key]


class ResponseCacheMiddleware:
    """Middleware that caches responses to GET requests by the revision of the data that they show."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer
        self.kept, self.turns = ResponseCache(), Turns()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if private_area(request.path_info) is not None:
            return self.answer(request)
        packed = "gzip" in request.headers.get("Accept-Encoding", "")
        host = request.get_host()  # part of some responses; and a wrong one is rejected before it costs anything
        known = known_at(request.path_info)
        if known is None or not forget_unknown(request, known):  # requested twice only by clients that want to fill the cache
            return self._prepared(self.answer(request), packed=packed)
        at = revision()
        whole = f"{__version__} {at} {packed} {host} {request.get_full_path()}"
        tag = f'W/"{sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()[:24]}"'
        if tag in request.headers.get("If-None-Match", ""):
            return HttpResponse(status=304, headers={"ETag": tag})
        found = self.kept.get(tag)
        if found is not None:
            return found.response()
        with self.turns.take(tag):
            found = self.kept.get(tag)  # may have been cached while this thread waited for the lock
            return found.response() if found is not None else self._make(request, at, tag, packed=packed)

    def _make(self, request: HttpRequest, at: int, tag: str, *, packed: bool) -> HttpResponse:
        with pinned_revision(at):
            response = self._prepared(self.answer(request), packed=packed)
        if response.status_code == 200 and not response.streaming:
            response.headers["ETag"] = tag
            self.kept.keep(tag, CachedResponse(response.content, tuple(response.headers.items())))
        return response

    @staticmethod
    def _prepared(response: HttpResponse, *, packed: bool) -> HttpResponse:
        """Return the response compressed where that pays, with headers that require revalidation."""
        if response.status_code != 200 or response.streaming:
            return response
        if packed and len(response.content) > SMALL and not response.has_header("Content-Encoding"):
            response.content = gzip.compress(response.content, compresslevel=6, mtime=0)
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.content))
        response.headers["Vary"] = "Accept-Encoding"
        response.headers.setdefault("Cache-Control", "public, max-age=0, must-revalidate")
        return response
