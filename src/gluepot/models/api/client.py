"""Requests to the server: patience with trouble, every answer kept before it is used, money counted."""

import os
import random
from threading import Event, Lock
from time import sleep
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gluepot.errors import GluepotError, WrongUse
from gluepot.models.api.cache import AnswerCache, Answered, key_of
from gluepot.models.api.pace import Pace

if TYPE_CHECKING:
    import httpx

KEYS = ("GLUEPOT_API_KEY", "OPENAI_API_KEY")
"""Where a key is looked for: nowhere else, and it is written nowhere."""
ATTEMPTS, LONGEST_WAIT, TIME_LIMIT = 12, 30.0, 120.0


class Spending:
    """Tokens and money of this run; prices are for a million tokens, in and out."""

    def __init__(self, price: str = "0,0", budget: float | None = None) -> None:
        try:
            self.prices = tuple(float(part) for part in str(price).split(","))
        except ValueError:
            self.prices = ()
        if len(self.prices) != 2:
            raise WrongUse(f"--price {price}: write what a million tokens cost, in and out, as 0.15,0.60.")
        if budget is not None and not any(self.prices):
            raise WrongUse("--budget needs --price IN,OUT: what a million tokens cost.")
        self.budget, self.tokens, self.written = budget, 0, 0
        self.lock = Lock()

    @property
    def cost(self) -> float:
        return (self.tokens * self.prices[0] + self.written * self.prices[1]) / 1e6

    def add(self, tokens: int, written: int) -> None:
        with self.lock:
            self.tokens += tokens
            self.written += written

    def check(self) -> None:
        if self.budget is not None and self.cost >= self.budget:
            raise GluepotError(
                f"the budget of {self.budget:g} is spent ({self.cost:.4f}). What was answered is kept; go on with a larger --budget."
            )


class Client:
    """One model at one address."""

    def __init__(self, model: str, url: str, spending: Spending, cache: AnswerCache | None = None, wait: float = 0.5) -> None:
        import httpx

        place = urlsplit(url)
        if place.scheme not in ("http", "https") or not place.hostname:
            raise WrongUse(f"api: {url!r} is no address; write api:NAME@http://HOST:PORT/v1.")
        if place.username or place.password:
            raise WrongUse(f"api: no key belongs in an address. Set {KEYS[0]} in the environment.")
        self.model, self.url, self.spending, self.wait = model, url.rstrip("/"), spending, wait
        self.cache = cache or AnswerCache(self.url, model)
        self.pace, self.stopped = Pace(), Event()
        key = next((os.environ[name] for name in KEYS if os.environ.get(name)), None)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.http = httpx.Client(headers=headers, timeout=TIME_LIMIT, limits=httpx.Limits(max_connections=64))

    def ask(self, path: str, body: dict[str, Any]) -> Answered:
        """The answer to a body, from the cache or from the server."""
        key = key_of(f"{self.url}/{path}", body)
        if (known := self.cache.get(key)) is not None:
            return known
        with self.pace.turn():
            answer = self._insist(path, body, key)
        self.cache.add(answer)
        self.spending.add(answer.tokens, answer.written)
        return answer

    def _insist(self, path: str, body: dict[str, Any], key: str) -> Answered:
        """Ask until there is an answer; wait longer after each failure, as long as the server says if it says so."""
        import httpx

        trouble = ""
        for attempt in range(ATTEMPTS):
            self.spending.check()
            if self.stopped.is_set():
                raise GluepotError("stopped.")
            try:
                response = self.http.post(f"{self.url}/{path}", json=body)
            except httpx.TransportError as error:
                trouble, asked = type(error).__name__, 0.0
            else:
                if response.status_code == 200:
                    self.pace.quicken()
                    return _read(response, key)
                if response.status_code not in (408, 409, 429) and response.status_code < 500:
                    raise GluepotError(f"{self.url}: {response.status_code} for {self.model}: {self._clean(response.text)}")
                trouble, asked = str(response.status_code), _seconds(response.headers.get("Retry-After"))
            self.pace.slow()
            sleep(max(asked, min(LONGEST_WAIT, self.wait * 2**attempt) * random.uniform(0.5, 1)))
        raise GluepotError(f"{self.url}: no answer after {ATTEMPTS} attempts, last {trouble}. What was answered is kept; go on later.")

    def _clean(self, text: str) -> str:
        """What a server says may repeat the key."""
        key = self.http.headers.get("Authorization", "").removeprefix("Bearer ")
        return (text.replace(key, "…") if key else text)[:300]


def _read(response: "httpx.Response", key: str) -> Answered:
    try:
        record = response.json()
        choice, usage = record["choices"][0], record.get("usage") or {}
        message = choice.get("message") or {}
        text = message.get("content") if message else choice["text"]
        thinking = message.get("reasoning_content")
        said = f"<think>{thinking}</think>{text or ''}" if thinking else text or ""
        return Answered(key, said, int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0)))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise GluepotError("the server's answer is not in the form of the OpenAI API.") from error


def _seconds(text: str | None) -> float:
    try:
        return min(60.0, float(text or 0))
    except ValueError:
        return 0.0
