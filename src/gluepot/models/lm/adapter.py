"""`lm:PATH|HUB_ID`: a causal language model of transformers, evaluated with prompts."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from gluepot.models.lm.inference.generation import GenerationState, TextGenerator
from gluepot.models.lm.inference.memory import check_memory, choose_budget
from gluepot.models.lm.inference.prefix import common_length
from gluepot.models.lm.inference.scoring import PackedScorer, branch
from gluepot.models.lm.loading.placement import Placement
from gluepot.models.lm.loading.weights import LoadedModel, load_models_cached
from gluepot.models.lm.parallel import ParallelEngine
from gluepot.models.lm.prompt_tokens import OPENED, PromptTokens
from gluepot.models.precision import choose
from gluepot.models.precision_probe import AUTO
from gluepot.models.pretrained import find_source
from gluepot.models.prompted import STOP, PromptingAdapter, PromptRequest, PromptSettings, Reply
from gluepot.models.prompts.chat_options import read_options

WRITTEN = 16
"""Maximum number of answers generated at a time."""


class LanguageModel(PromptingAdapter):
    """Adapter that processes items in batches, so that shared tokens are run once."""

    def __init__(
        self,
        name: str,
        argument: str,
        seed: int,
        precision: str = AUTO,
        device: str = AUTO,
        revision: str | None = None,
        commit: str | None = None,
        trust_remote_code: bool = False,
        chat_option: str = "",
        device_map: str = "",
        **prompt_settings: Any,
    ) -> None:
        settled = precision if precision == AUTO else choose(precision, device).precision
        source = find_source(argument, commit or revision, trust_remote_code=bool(trust_remote_code))
        copies = load_models_cached(source, settled, Placement(device, device_map))
        engines = [LocalEngine(loaded, chat_options=read_options(chat_option)) for loaded in copies]
        super().__init__(engines[0] if len(engines) == 1 else ParallelEngine(engines), seed, PromptSettings(**prompt_settings))


class LocalEngine(PromptTokens):
    """Engine with likelihoods from packed passes and batched generation."""

    def __init__(self, loaded: LoadedModel, chat_options: dict[str, Any] | None = None) -> None:
        super().__init__(loaded, chat_options)
        self.constrains = find_spec("xgrammar") is not None
        self.packed, self.writer = PackedScorer(loaded.model), TextGenerator(loaded)

    def score(self, requests: Sequence[PromptRequest], *, first: bool) -> list[Reply]:
        """Score requests; those with the same number of shots share a prefix and are scored together."""
        found = [self._rows(request, first) for request in requests]
        replies: list[Reply] = [Reply()] * len(requests)
        longest = max((len(row.ids) for rows, _ in found for row in rows), default=0)
        check_memory(self.loaded, longest)
        self.packed.budget = choose_budget(self.loaded.model, longest)
        for cut in sorted({cut for _, cut in found}):
            places = [place for place, (_, cuts) in enumerate(found) if cuts == cut]
            scored = self.packed.score([branch(found[place][0]) for place in places])
            for place, logs in zip(places, scored, strict=True):
                replies[place] = Reply(logs, cut=cut, tokens=sum(len(row.ids) for row in found[place][0]))
        return replies

    def write(self, requests: Sequence[PromptRequest]) -> Iterator[Reply]:
        for batch in self._batches(map(self._writing, requests)):
            self.writer.run([one for one, _ in batch])
            for one, cut in batch:
                opened = OPENED if one.matcher is None and requests[0].builder.form == "instruct" and self.thinks else ""
                yield Reply(text=opened + one.text, cut=cut, tokens=len(one.ids), written=len(one.written))

    def _writing(self, request: PromptRequest) -> tuple[GenerationState, int]:
        """Return the answer to be generated, and the number of shots left out."""
        ids, cut = self._fitting(request)
        check_memory(self.loaded, len(ids) + request.max_tokens)
        stops = (STOP,) if request.builder.form == "base" else ()
        return GenerationState(ids, request.max_tokens, stops, self.writer.matcher(request.schema) if request.schema else None), cut

    def _batches(self, writings: Iterable[tuple[GenerationState, int]]) -> Iterator[list[tuple[GenerationState, int]]]:
        """Yield batches in order, as large as the token budget beyond their common prefix allows."""
        batch: list[tuple[GenerationState, int]] = []
        size = budget = 0
        for one, cut in writings:
            more = len(one.ids) - common_length([one.ids, batch[0][0].ids]) if batch else 0
            budget = budget if batch else choose_budget(self.loaded.model, len(one.ids))
            if batch and (len(batch) == WRITTEN or size + more > budget):
                yield batch
                batch, size, more = [], 0, 0
            batch.append((one, cut))
            size += more
        if batch:
            yield batch
