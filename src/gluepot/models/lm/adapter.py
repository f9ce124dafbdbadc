"""`lm:PATH|HUB_ID`: a causal language model of transformers, asked with prompts."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from gluepot.errors import GluepotError
from gluepot.models.lm.generating import Writer, Writing
from gluepot.models.lm.loading import LoadedModel, keep_model
from gluepot.models.lm.prefix import common_length
from gluepot.models.lm.scoring import BUDGET, Packed, ScoredText, branch
from gluepot.models.precision import choose
from gluepot.models.prompted import STOP, Manner, Prompted, PromptRequest, Reply
from gluepot.models.prompts.asking import Message
from gluepot.models.trials import AUTO
from gluepot.plurals import pluralize

OPENED = "<think>"
WRITTEN = 16
"""Answers that are written at a time, at most."""


class LanguageModel(Prompted):
    """The adapter: items by the batch, so that what they share is run once."""

    batch = 128

    def __init__(self, name: str, argument: str, seed: int, precision: str = AUTO, trust_remote_code: bool = False, **manner: Any) -> None:
        settled = precision if precision == AUTO else choose(precision).precision
        super().__init__(LocalEngine(keep_model(argument, settled, trust_remote_code=bool(trust_remote_code))), seed, Manner(**manner))


class LocalEngine:
    """The engine: likelihoods in packed passes, texts in batches."""

    scores = True

    def __init__(self, loaded: LoadedModel, budget: int = BUDGET) -> None:
        self.loaded, self.chat, self.budget = loaded, loaded.chat, budget
        self.constrains = find_spec("xgrammar") is not None
        self.packed, self.writer = Packed(loaded.model, budget), Writer(loaded)

    @cached_property
    def thinks(self) -> bool:
        """Whether the chat template opens a thought."""
        return self.chat and self._chat([{"role": "user", "content": "?"}]).rstrip().endswith(OPENED)

    def _chat(self, messages: list[Message]) -> str:
        made: Any = self.loaded.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return str(made)

    def prompt(self, request: PromptRequest, cut: int = 0) -> str:
        """The very text that the model gets."""
        if request.asker.form == "base":
            return request.text(cut)
        return self._chat(request.messages(cut))

    def score(self, requests: Sequence[PromptRequest], *, first: bool) -> list[Reply]:
        """Questions with the same number of shots share a prefix and are scored together."""
        found = [self._rows(request, first) for request in requests]
        replies: list[Reply] = [Reply()] * len(requests)
        for cut in sorted({cut for _, cut in found}):
            places = [place for place, (_, cuts) in enumerate(found) if cuts == cut]
            scored = self.packed.score([branch(found[place][0]) for place in places])
            for place, logs in zip(places, scored, strict=True):
                replies[place] = Reply(logs, cut=cut, tokens=sum(len(row.ids) for row in found[place][0]))
        return replies

    def _rows(self, request: PromptRequest, first: bool) -> tuple[list[ScoredText], int]:
        """The question with each candidate as tokens, and how many shots had to go."""
        for cut in range(len(request.asker.shots) + 1):
            rows = self._encode(request, cut)
            if max(len(row.ids) for row in rows) <= self.loaded.longest:
                return (_first_tokens(rows) if first else rows), cut
        raise GluepotError(
            f"{request.asker.task.path}: an item is longer than the model's {pluralize(self.loaded.longest, 'token')} even without shots."
        )

    def _encode(self, request: PromptRequest, cut: int) -> list[ScoredText]:
        """Spaces before the answer go with it, as in the text; the tokens are those of the whole text."""
        prompt = self.prompt(request, cut)
        context = prompt.rstrip(" ") if request.asker.form == "base" else prompt
        gap = prompt[len(context) :]
        texts = [
            f"{gap}{candidate}{request.question.tail if request.asker.form == 'base' else ''}" for candidate in request.question.candidates
        ]
        before, *wholes = self.loaded.encode([context, *(context + text for text in texts)])
        return [ScoredText(whole, min(len(before), len(whole) - 1)) for whole in wholes]

    def write(self, requests: Sequence[PromptRequest]) -> Iterator[Reply]:
        for batch in self._batches(map(self._writing, requests)):
            self.writer.run([one for one, _ in batch])
            for one, cut in batch:
                opened = OPENED if one.matcher is None and requests[0].asker.form == "instruct" and self.thinks else ""
                yield Reply(text=opened + one.text, cut=cut, tokens=len(one.ids), written=len(one.written))

    def _writing(self, request: PromptRequest) -> tuple[Writing, int]:
        """An answer that is to be written, and how many shots had to go."""
        ids, cut = self._fitting(request)
        stops = (STOP,) if request.asker.form == "base" else ()
        return Writing(ids, request.max_tokens, stops, self.writer.matcher(request.schema) if request.schema else None), cut

    def _batches(self, writings: Iterable[tuple[Writing, int]]) -> Iterator[list[tuple[Writing, int]]]:
        """In order, as many together as the budget of tokens behind what they share allows."""
        batch: list[tuple[Writing, int]] = []
        size = 0
        for one, cut in writings:
            more = len(one.ids) - common_length([one.ids, batch[0][0].ids]) if batch else 0
            if batch and (len(batch) == WRITTEN or size + more > self.budget):
                yield batch
                batch, size, more = [], 0, 0
            batch.append((one, cut))
            size += more
        if batch:
            yield batch

    def _fitting(self, request: PromptRequest) -> tuple[list[int], int]:
        room = self.loaded.longest - request.max_tokens
        for cut in range(len(request.asker.shots) + 1):
            prompt = self.prompt(request, cut)
            ids = self.loaded.encode([prompt.rstrip(" ") if request.asker.form == "base" else prompt])[0]
            if len(ids) <= room:
                return ids, cut
        raise GluepotError(
            f"{request.asker.task.path}: an item is longer than the model's {pluralize(self.loaded.longest, 'token')} even without shots."
        )


def _first_tokens(rows: list[ScoredText]) -> list[ScoredText]:
    """Only the first token of each candidate, if they differ in it; else all of them."""
    firsts = {row.ids[row.start] for row in rows}
    return [ScoredText(row.ids[: row.start + 1], row.start) for row in rows] if len(firsts) == len(rows) else rows
