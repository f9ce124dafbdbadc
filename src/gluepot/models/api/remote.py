"""Engine of `api:`: concurrent requests with replies in order, each by the best method that the server supports."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import msgspec

from gluepot.errors import GluepotError
from gluepot.models.api.cache import ApiAnswer
from gluepot.models.api.client import Client
from gluepot.models.api.dialect import Dialect
from gluepot.models.api.pace import MOST
from gluepot.models.api.reading import first_logs
from gluepot.models.api.refusals import PromptTooLongError, RequestRefused
from gluepot.models.prompted import STOP, PromptRequest, Reply
from gluepot.models.prompts.parsing import without_thinking
from gluepot.plurals import pluralize

TOPS = (20, 5)
"""Numbers of likeliest tokens to request: the maximum of chats, then that of completions."""
ECHO = {"max_tokens": 1, "temperature": 0, "echo": True, "logprobs": 1}


class RemoteModel:
    """Engine that learns a server's features from its answers; refused parameters are not sent again."""

    chat = constrains = True
    thinks = False
    """Servers separate the reasoning by themselves, and only the user knows whether there is any."""

    def __init__(self, client: Client, *, insists: bool = False, chat_options: dict[str, Any] | None = None) -> None:
        self.client, self.insists, self.dialect = client, insists, Dialect()
        self.chat_options = {"chat_template_kwargs": chat_options} if chat_options else {}
        self.tops = list(TOPS)
        self.grammar, self.tells = True, False
        self.taken: set[str] = set()
        """Parameters accepted once: a later refusal concerns a single item."""

    @cached_property
    def scores(self) -> bool:
        """Whether the server echoes prompts with log-probabilities, tested with two short ones."""
        try:
            return self._echo(["1 2", "1 2 3"]).likelihoods is not None
        except PromptTooLongError:
            raise
        except RequestRefused:
            return False

    def score(self, requests: Sequence[PromptRequest], *, first: bool) -> Iterator[Reply]:
        return self._side_by_side(self._first if first else self._likelihood, requests)

    def write(self, requests: Sequence[PromptRequest]) -> Iterator[Reply]:
        return self._side_by_side(self._write, requests)

    def _side_by_side(self, work: "Callable[[PromptRequest, int], Reply]", requests: Sequence[PromptRequest]) -> Iterator[Reply]:
        """Send the first request alone, as it shows whether the server is there and what it supports; then the others concurrently."""
        yield self._fitting(work, requests[0])
        pool = ThreadPoolExecutor(MOST)
        try:
            for future in [pool.submit(self._fitting, work, request) for request in requests[1:]]:
                yield future.result()
        except GluepotError:
            self._stop(pool, wait=True)  # requests in progress are paid for
            raise
        except BaseException:
            self._stop(pool, wait=False)
            raise
        pool.shutdown()

    def _stop(self, pool: ThreadPoolExecutor, *, wait: bool) -> None:
        self.client.stopped.set()
        pool.shutdown(wait=wait, cancel_futures=True)

    def _fitting(self, work: "Callable[[PromptRequest, int], Reply]", request: PromptRequest) -> Reply:
        """Return the reply to as many shots as fit into the server's context."""
        for cut in range(len(request.builder.shots) + 1):
            try:
                reply = work(request, cut)
            except PromptTooLongError:
                continue
            reply.cut = cut
            return reply
        raise GluepotError(f"{request.builder.task.path}: an item is longer than {self.client.url} takes, even without shots.")

    def _first(self, request: PromptRequest, cut: int) -> Reply:
        """Return the log-probabilities of the candidates' first tokens if all are given, else the generated text."""
        answer, _ = self._ask(request, cut, "logprobs")
        self.tells = self.tells or answer.firsts is not None
        if self.insists and not self.tells:
            raise GluepotError(f"{self.client.url} tells no log-probabilities: leave out --answers first-token.")
        logs = first_logs(*_beginnings(request, cut, answer.firsts)) if answer.firsts else None
        if logs is None:
            return Reply(text=answer.text, tokens=answer.tokens, written=answer.written, way="text")
        return Reply(logs, tokens=answer.tokens, written=answer.written)

    def _write(self, request: PromptRequest, cut: int) -> Reply:
        answer, how = self._ask(request, cut, "response_format" if request.schema else "")
        free = request.schema and not (how and without_thinking(answer.text)[0].lstrip().startswith("{"))
        return Reply(text=answer.text, tokens=answer.tokens, written=answer.written, way="text" if free else None)

    def _likelihood(self, request: PromptRequest, cut: int) -> Reply:
        prompt = request.text(cut)
        context = prompt.rstrip(" ")
        answer = self._echo([context, *(f"{prompt}{text}{request.question.tail}" for text in request.question.candidates)])
        if answer.likelihoods is None:
            raise GluepotError(f"{self.client.url} told likelihoods before and does not now. Go on later, or with --answers text.")
        return Reply(answer.likelihoods, tokens=answer.tokens, written=answer.written)

    def _echo(self, prompts: list[str]) -> ApiAnswer:
        return self.client.ask("completions", {"model": self.client.model, "prompt": prompts, **ECHO})

    def _ask(self, request: PromptRequest, cut: int, wanted: str) -> tuple[ApiAnswer, bool]:
        """Return the answer, and whether the server accepted the additional parameter."""
        while more := self._more(request, wanted):
            try:
                answer = self._insist(request, cut, more)
            except PromptTooLongError:
                raise
            except RequestRefused:
                if wanted in self.taken:
                    break
                self._do_without(wanted)
            else:
                self.taken.add(wanted)
                return answer, True
        return self._insist(request, cut, {}), False

    def _insist(self, request: PromptRequest, cut: int, more: dict[str, Any]) -> ApiAnswer:
        """Return the answer to a request without the common parameters that the server refuses."""
        while True:
            path, body = self._body(request, cut)
            try:
                answer = self.client.ask(path, {**body, **more})
            except PromptTooLongError:
                raise
            except RequestRefused as error:
                if self._body(request, cut)[1] != body:  # already learned by another request
                    continue
                if (learned := self.dialect.learn(str(error))) is None:
                    raise
                self.client.notify_once(learned)
            else:
                self._tell_room(answer, request)
                return answer

    def _body(self, request: PromptRequest, cut: int) -> tuple[str, dict[str, Any]]:
        if request.builder.form == "base":
            usual = self.dialect.parameters(request.max_tokens, stop=[STOP])
            return "completions", {"model": self.client.model, **usual, "prompt": request.text(cut).rstrip(" ")}
        usual = {**self.dialect.parameters(request.max_tokens), **self.chat_options}
        return "chat/completions", {"model": self.client.model, **usual, "messages": request.messages(cut)}

    def _tell_room(self, answer: ApiAnswer, request: PromptRequest) -> None:
        if answer.thinking:
            room = pluralize(request.max_tokens, "token")
            self.client.notify_once(
                f"the model thinks before it answers, and its {room} ran out before an answer. Give it room with --thinking 1024, or turn "
                "it off, as --chat-option enable_thinking=false does for many."
            )

    def _more(self, request: PromptRequest, wanted: str) -> dict[str, Any]:
        chat = request.builder.form != "base"
        if wanted == "logprobs" and self.tops:
            return {"logprobs": True, "top_logprobs": self.tops[0]} if chat else {"logprobs": self.tops[0]}
        if wanted == "response_format" and self.grammar and chat and request.schema:
            schema = msgspec.json.decode(request.schema)
            return {"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}}
        return {}

    def _do_without(self, wanted: str) -> None:
        if wanted == "logprobs":
            self.tops = self.tops[1:]
            return
        self.grammar = False
        self.client.notify_once("the server takes no response_format; answers are free text.")


def _beginnings(request: PromptRequest, cut: int, firsts: dict[str, float]) -> tuple[dict[str, float], list[str]]:
    """Return the given tokens, and the candidates as they would begin an answer: after a space in a text, if the text has one there."""
    if request.builder.form != "base":
        spaceless: dict[str, float] = {}
        for token, value in firsts.items():
            spaceless[token.lstrip()] = max(value, spaceless.get(token.lstrip(), value))
        return spaceless, list(request.question.candidates)
    prompt = request.text(cut)
    gap = prompt[len(prompt.rstrip(" ")) :]
    return firsts, [f"{gap}{text}{request.question.tail}" for text in request.question.candidates]
