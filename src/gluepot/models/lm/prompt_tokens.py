"""Requests as tokens of a model: the prompt with each candidate, without the oldest shots where they do not fit."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from gluepot.errors import GluepotError
from gluepot.models.lm.inference.scoring import ScoredText
from gluepot.models.lm.loading.weights import LoadedModel
from gluepot.models.prompted import PromptRequest
from gluepot.models.prompts.asking import Message
from gluepot.plurals import pluralize

OPENED = "<think>"


class PromptTokens:
    """Base of engines that take tokens, whatever runs the model."""

    scores = True

    def __init__(self, loaded: LoadedModel, chat_options: Mapping[str, Any] | None = None) -> None:
        self.loaded, self.chat, self.chat_options = loaded, loaded.chat, dict(chat_options or {})

    @cached_property
    def thinks(self) -> bool:
        """Whether the chat template opens the reasoning."""
        return self.chat and self._chat([{"role": "user", "content": "?"}]).rstrip().endswith(OPENED)

    def _chat(self, messages: list[Message]) -> str:
        made: Any = self.loaded.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **self.chat_options)
        return str(made)

    def prompt(self, request: PromptRequest, cut: int = 0) -> str:
        """Return the exact text that the model receives."""
        if request.builder.form == "base":
            return request.text(cut)
        return self._chat(request.messages(cut))

    def _rows(self, request: PromptRequest, first: bool) -> tuple[list[ScoredText], int]:
        """Return the prompt with each candidate as tokens, and the number of shots left out."""
        for cut in range(len(request.builder.shots) + 1):
            rows = self._encode(request, cut)
            if max(len(row.ids) for row in rows) <= self.loaded.longest:
                return (_first_tokens(rows) if first else rows), cut
        raise GluepotError(
            f"{request.builder.task.path}: an item is longer than the model's {pluralize(self.loaded.longest, 'token')} even without shots."
        )

    def _encode(self, request: PromptRequest, cut: int) -> list[ScoredText]:
        """Tokenize the whole texts; spaces before an answer belong to it, as in the text."""
        prompt = self.prompt(request, cut)
        context = prompt.rstrip(" ") if request.builder.form == "base" else prompt
        gap = prompt[len(context) :]
        texts = [
            f"{gap}{candidate}{request.question.tail if request.builder.form == 'base' else ''}"
            for candidate in request.question.candidates
        ]
        before, *wholes = self.loaded.encode([context, *(context + text for text in texts)])
        return [ScoredText(whole, min(len(before), len(whole) - 1)) for whole in wholes]

    def _fitting(self, request: PromptRequest) -> tuple[list[int], int]:
        room = self.loaded.longest - request.max_tokens
        for cut in range(len(request.builder.shots) + 1):
            prompt = self.prompt(request, cut)
            ids = self.loaded.encode([prompt.rstrip(" ") if request.builder.form == "base" else prompt])[0]
            if len(ids) <= room:
                return ids, cut
        raise GluepotError(
            f"{request.builder.task.path}: an item is longer than the model's {pluralize(self.loaded.longest, 'token')} even without shots."
        )


def _first_tokens(rows: list[ScoredText]) -> list[ScoredText]:
    """Return only the first token of each candidate if they differ in it, else all of them."""
    firsts = {row.ids[row.start] for row in rows}
    return [ScoredText(row.ids[: row.start + 1], row.start) for row in rows] if len(firsts) == len(rows) else rows
