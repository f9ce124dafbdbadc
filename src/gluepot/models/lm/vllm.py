"""`vllm:PATH|HUB_ID`: a language model run by vLLM, prompted as by `lm:`. vLLM itself batches, shares prefixes and places weights."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from gluepot.errors import GluepotError
from gluepot.models import pretrained
from gluepot.models.lm.inference.scoring import ScoredText
from gluepot.models.lm.loading.weights import LoadedModel, start_of
from gluepot.models.lm.prompt_tokens import OPENED, PromptTokens
from gluepot.models.precision_probe import AUTO
from gluepot.models.pretrained import PretrainedSource, find_source
from gluepot.models.prompted import STOP, PromptingAdapter, PromptRequest, PromptSettings, Reply
from gluepot.models.prompts.chat_options import read_options

DTYPES = {AUTO: "auto", "fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
HIGHEST_RANK = 64
"""Maximum rank of an adapter, which vLLM requires in advance."""


class VllmModel(PromptingAdapter):
    """Adapter for models run by vLLM."""

    def __init__(
        self,
        name: str,
        argument: str,
        seed: int,
        precision: str = AUTO,
        revision: str | None = None,
        commit: str | None = None,
        trust_remote_code: bool = False,
        chat_option: str = "",
        tensor_parallel: int = 1,
        **prompt_settings: Any,
    ) -> None:
        source = find_source(argument, commit or revision, trust_remote_code=bool(trust_remote_code))
        engine = VllmEngine(load_engine_cached(source, precision, tensor_parallel), source.adapter, read_options(chat_option))
        super().__init__(engine, seed, PromptSettings(**prompt_settings))


@lru_cache(maxsize=1)
def load_engine_cached(source: PretrainedSource, precision: str, tensor_parallel: int) -> LoadedModel:
    """Return the last engine of this process, if it is the same: a start takes a minute, and a GPU has room for one."""
    from vllm import LLM

    more: dict[str, Any] = {"enable_lora": True, "max_lora_rank": HIGHEST_RANK} if source.adapter else {}
    pinned = {"revision": source.commit, "tokenizer_revision": source.commit} if source.pinned else {}
    try:
        llm = LLM(
            model=source.where,
            dtype=DTYPES[precision],
            trust_remote_code=source.trust_remote_code,
            tensor_parallel_size=tensor_parallel,
            enable_prefix_caching=True,
            **pinned,
            **more,
        )
    except Exception as error:  # no GPU, no memory, unknown architecture: vLLM has a different exception for each
        raise GluepotError(f"vllm: {source.place} cannot be loaded: {pretrained.first_line(error)}") from error
    tokenizer = llm.get_tokenizer()
    config = llm.llm_engine.model_config
    return LoadedModel(llm, tokenizer, int(config.max_model_len) - 1, start_of(str(config.hf_config.model_type), tokenizer))


class VllmEngine(PromptTokens):
    """Engine with likelihoods from the log-probabilities of a prompt's own tokens, and greedy texts, within a grammar if requested."""

    constrains = True

    def __init__(self, loaded: LoadedModel, adapter: PretrainedSource | None = None, chat_options: dict[str, Any] | None = None) -> None:
        super().__init__(loaded, chat_options)
        self.adapter = adapter

    def score(self, requests: Sequence[PromptRequest], *, first: bool) -> list[Reply]:
        from vllm import SamplingParams

        found = [self._rows(request, first) for request in requests]
        rows = [row for own, _ in found for row in own]
        told = self._run([row.ids for row in rows], SamplingParams(max_tokens=1, temperature=0.0, prompt_logprobs=0, detokenize=False))
        logs = iter(likelihood(row, output.prompt_logprobs) for row, output in zip(rows, told, strict=True))
        return [Reply([next(logs) for _ in own], cut=cut, tokens=sum(len(row.ids) for row in own)) for own, cut in found]

    def write(self, requests: Sequence[PromptRequest]) -> Iterator[Reply]:
        fitting = [self._fitting(request) for request in requests]
        told = self._run([ids for ids, _ in fitting], [self._sampling(request) for request in requests])
        for request, (ids, cut), output in zip(requests, fitting, told, strict=True):
            opened = OPENED if request.schema is None and request.builder.form == "instruct" and self.thinks else ""
            written = output.outputs[0]
            yield Reply(text=opened + _before_stop(request, written.text), cut=cut, tokens=len(ids), written=len(written.token_ids))

    def _sampling(self, request: PromptRequest) -> Any:
        from vllm import SamplingParams
        from vllm.sampling_params import StructuredOutputsParams

        grammar = StructuredOutputsParams(json=request.schema, disable_any_whitespace=True) if request.schema else None
        return SamplingParams(max_tokens=request.max_tokens, temperature=0.0, structured_outputs=grammar)

    def _run(self, prompts: Sequence[list[int]], sampling: Any) -> list[Any]:
        asked = [{"prompt_token_ids": ids} for ids in prompts]
        found: list[Any] = self.loaded.model.generate(asked, sampling, use_tqdm=False, lora_request=self._lora())
        return found

    def _lora(self) -> Any:
        """Return the adapter by its files, downloaded at its commit if it is on the Hub."""
        if self.adapter is None:
            return None
        from huggingface_hub import snapshot_download
        from vllm.lora.request import LoRARequest

        local = self.adapter.where != self.adapter.place or not self.adapter.pinned
        place = self.adapter.where if local else snapshot_download(self.adapter.place, revision=self.adapter.commit)
        return LoRARequest("adapter", 1, place)


def likelihood(row: ScoredText, told: Sequence[Any]) -> float:
    """Sum the log-probabilities of the scored part of a text; vLLM returns those of every token of a prompt."""
    return float(sum(told[place][row.ids[place]].logprob for place in range(row.start, len(row.ids))))


def _before_stop(request: PromptRequest, text: str) -> str:
    """Cut a base model's answer at the first empty line, except for leading ones."""
    before, found, _ = text.lstrip().partition(STOP)
    return before if found and request.builder.form == "base" and not request.schema else text
