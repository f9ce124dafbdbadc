"""HTTP client of a server: requests are retried, every answer is cached before it is used, and costs are counted."""

import random
from contextlib import suppress
from threading import Event
from typing import Any
from urllib.parse import urlsplit
from weakref import finalize

from gluepot.errors import GluepotError, WrongUse
from gluepot.models.api.answers import ServerAnswer, request
from gluepot.models.api.cache import AnswerCache, ApiAnswer, key_of
from gluepot.models.api.keys import KEYS
from gluepot.models.api.pace import ConcurrencyLimiter
from gluepot.models.api.reading import read_answer
from gluepot.models.api.refusals import read_models, refusal, unreachable
from gluepot.models.api.spending import Spending
from gluepot.notices import notify

ATTEMPTS, LONGEST_WAIT, TIME_LIMIT, TIME_TO_CONNECT = 12, 30.0, 120.0, 5.0
FIRST_ATTEMPTS = 3
"""Attempts on a server that has never responded: it may be starting, but more likely the address is wrong."""
REACHED: set[str] = set()
"""Addresses that have responded to this process; if one of them becomes unreachable, the client waits for it."""
REPEATED = (408, 409, 425, 429)


class Client:
    """Client for one model at one address."""

    def __init__(
        self, model: str, url: str, spending: Spending, key: str | None = None, cache: AnswerCache | None = None, wait: float = 0.5
    ) -> None:
        import httpx

        place = urlsplit(url)
        if place.scheme not in ("http", "https") or not place.hostname:
            raise WrongUse(f"api: {url!r} is no address; write api:NAME@http://HOST:PORT/v1.")
        if place.username or place.password:
            raise WrongUse(f"api: no key belongs in an address. Set {KEYS[0]} in the environment.")
        self.model, self.url, self.spending, self.wait = model, url.rstrip("/"), spending, wait
        self.cache = cache or AnswerCache(self.url, model)
        self.pace, self.stopped = ConcurrencyLimiter(), Event()
        self.told: set[str] = set()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        limits = httpx.Limits(max_connections=64)
        self.http = httpx.Client(headers=headers, timeout=httpx.Timeout(TIME_LIMIT, connect=TIME_TO_CONNECT), limits=limits)
        finalize(self, self.http.close)

    def ask(self, path: str, body: dict[str, Any]) -> ApiAnswer:
        """Return the answer to a request body, from the cache or from the server."""
        key = key_of(f"{self.url}/{path}", body)
        if (known := self.cache.get(key)) is not None:
            return known
        with self.pace.turn():
            answer = read_answer(self._insist(path, body), key, echoed="echo" in body)
        self.cache.add(answer)
        self.spending.add(answer.tokens, answer.written)
        return answer

    def notify_once(self, sentence: str) -> None:
        """Report a message once."""
        if sentence not in self.told:
            self.told.add(sentence)
            notify(f"{self.url}: {sentence}")

    def _insist(self, path: str, body: dict[str, Any]) -> Any:
        """Send a request with retries: exponential backoff, or the delay requested by the server if that is longer."""
        import httpx

        trouble = ""
        for attempt in range(ATTEMPTS):
            self.spending.check()
            try:
                answer = request(self.http, "POST", f"{self.url}/{path}", json=body)
            except httpx.TransportError as error:
                trouble, asked = type(error).__name__, 0.0
                self._check_start(error, attempt)
            else:
                REACHED.add(self.url)
                if answer.status == 200:
                    self.pace.quicken()
                    return answer.document()
                if answer.status not in REPEATED and (answer.status < 500 or answer.status == 501):
                    raise self._refusal(answer)
                trouble, asked = str(answer.status), _seconds(answer.headers.get("Retry-After"))
            self.pace.slow()
            if self.stopped.wait(max(asked, min(LONGEST_WAIT, self.wait * 2**attempt) * random.uniform(0.5, 1))):
                raise GluepotError("stopped.")
        raise GluepotError(f"{self.url}: no answer after {ATTEMPTS} attempts, last {trouble}. What was answered is kept; go on later.")

    def _check_start(self, error: Exception, attempt: int) -> None:
        """Raise if the server is unreachable and has never responded; wait for one that has."""
        import httpx

        lost = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
        if lost and self.url not in REACHED and (attempt + 1 >= FIRST_ATTEMPTS or isinstance(error, httpx.ConnectTimeout)):
            raise unreachable(self.url, error) from None
        if lost and self.url in REACHED:
            self.notify_once("the server has gone; waiting for it to come back (Ctrl-C stops, and what was answered is kept).")

    def _refusal(self, answer: ServerAnswer) -> GluepotError:
        import httpx

        models: list[str] = []
        if answer.status == 404:
            with suppress(httpx.TransportError):
                models = read_models(request(self.http, "GET", f"{self.url}/models", timeout=TIME_TO_CONNECT))
        key = "Authorization" in self.http.headers
        return refusal(answer.status, self._clean(answer.text), self.url, self.model, key=key, models=models)

    def _clean(self, text: str) -> str:
        """Remove the key, which a server may repeat, from its message."""
        key = self.http.headers.get("Authorization", "").removeprefix("Bearer ")
        return " ".join((text.replace(key, "…") if key else text).split())[:300]


def _seconds(text: str | None) -> float:
    try:
        return min(60.0, float(text or 0))
    except ValueError:
        return 0.0
