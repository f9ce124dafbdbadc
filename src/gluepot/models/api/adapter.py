"""`api:NAME@URL`: a language model behind an OpenAI-compatible API, by chat or by completions."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from gluepot.errors import WrongUse
from gluepot.models.api.client import Client, Spending
from gluepot.models.api.pace import MOST
from gluepot.models.prompted import STOP, Manner, Prompted, Reply, Request
from gluepot.records import Example, Prediction, Task

SEED = 4242


class ApiModel(Prompted):
    """The adapter: answers are handed on as they come."""

    def __init__(
        self,
        name: str,
        argument: str,
        seed: int,
        shots: int | None = None,
        wording: int = 0,
        form: str = "auto",
        answers: str = "auto",
        price: str = "0,0",
        budget: float | None = None,
    ) -> None:
        model, at, url = argument.partition("@http")
        if not (model and at):
            raise WrongUse(f"api:{argument}: write api:NAME@http://HOST:PORT/v1.")
        if answers in ("likelihood", "first-token"):
            raise WrongUse(f"api has no --answers {answers}: a server tells what it writes, not how likely the rest was.")
        self.client = Client(model, f"http{url}", Spending(price, budget))
        super().__init__(Remote(self.client), seed, Manner(shots, wording, form, answers))

    def stream(self, task: Task, examples: Sequence[Example]) -> Iterator[Prediction]:
        return self.answer(task, examples)


class Remote:
    """The engine: requests side by side, replies in order."""

    chat, scores, constrains = True, False, True

    def __init__(self, client: Client) -> None:
        self.client = client

    def score(self, requests: Sequence[Request], *, first: bool) -> list[Reply]:
        raise NotImplementedError

    def write(self, requests: Sequence[Request]) -> Iterator[Reply]:
        pool = ThreadPoolExecutor(MOST)
        try:
            for future in [pool.submit(self._ask, request) for request in requests]:
                yield future.result()
        finally:
            self.client.stopped.set()
            pool.shutdown(wait=True, cancel_futures=True)
            self.client.stopped.clear()

    def _ask(self, request: Request) -> Reply:
        body: dict[str, Any] = {"model": self.client.model, "max_tokens": request.max_tokens, "temperature": 0, "seed": SEED}
        if request.asker.form == "base":
            answer = self.client.ask("completions", {**body, "prompt": request.text().rstrip(" "), "stop": [STOP]})
        else:
            grammar = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": _decoded(request.schema)}}
            more = {"response_format": grammar} if request.schema else {}
            answer = self.client.ask("chat/completions", {**body, "messages": request.messages(), **more})
        return Reply(text=answer.text, tokens=answer.tokens, written=answer.written)


def _decoded(schema: str | None) -> Any:
    return msgspec.json.decode(schema) if schema else None
