"""Answers kept for as long as nothing changes, compressed once; a browser that has one already is told so."""

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
from gluepot.board.server.middleware.private import room_of
from gluepot.board.standings.revisions import pinned_revision, revision

ROOM = 64 * 2**20
"""Bytes of all answers kept, with everything that is kept along with them."""
SMALL = 500
"""Shorter answers are not worth compressing."""
PLACE = 300
"""Bytes of an answer's place among the others: its key, the record, its links."""


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """What is sent again: bytes and headers, not the object with all its parts that made them."""

    body: bytes
    headers: tuple[tuple[str, str], ...]

    @property
    def size(self) -> int:
        """Bytes in memory."""
        words = sum(getsizeof(pair) + getsizeof(pair[0]) + getsizeof(pair[1]) for pair in self.headers)
        return getsizeof(self.body) + getsizeof(self.headers) + words + PLACE

    def response(self) -> HttpResponse:
        """With headers of its own, so that what is added to one answer is not added to all."""
        return HttpResponse(self.body, headers=dict(self.headers))


class ResponseCache:
    """The answers used last, up to a number and a size."""

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
    """A lock for each key that somebody works on: an answer that several ask for at the same time is made once."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.locks: dict[str, tuple[Lock, int]] = {}
        """Each with how many hold it or wait for it."""

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
    """Keeps whole answers to GET requests under the revision of the data that they show."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer
        self.kept, self.turns = ResponseCache(), Turns()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if room_of(request.path_info) is not None:
            return self.answer(request)
        packed = "gzip" in request.headers.get("Accept-Encoding", "")
        host = request.get_host()  # some answers name it; and a wrong one is refused before it costs anything
        known = known_at(request.path_info)
        if known is None or not forget_unknown(request, known):  # nobody asks for it twice but who wants to fill the memory
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
            found = self.kept.get(tag)  # whoever had to wait for another's turn finds what that one made
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
        """Compressed where that pays, and to be asked for again."""
        if response.status_code != 200 or response.streaming:
            return response
        if packed and len(response.content) > SMALL and not response.has_header("Content-Encoding"):
            response.content = gzip.compress(response.content, compresslevel=6, mtime=0)
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.content))
        response.headers["Vary"] = "Accept-Encoding"
        response.headers.setdefault("Cache-Control", "public, max-age=0, must-revalidate")
        return response
