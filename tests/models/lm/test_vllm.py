"""`vllm:` with a stub of vLLM's interface and a real tiny model behind it: predictions equal those of `lm:`.

vLLM itself needs a GPU. The stub has the names, parameters and results of version 0.32; any others are an error.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")
pytest.importorskip("xgrammar", reason="xgrammar is not installed")

from tests.models.lm.tiny import make_tiny, make_windowed  # noqa: E402

from gluepot.cli import main  # noqa: E402
from gluepot.data.examples import load_examples  # noqa: E402
from gluepot.errors import GluepotError  # noqa: E402
from gluepot.models import libraries_of, make_adapter, parse_model  # noqa: E402
from gluepot.models.lm import vllm as engine  # noqa: E402
from gluepot.models.lm.inference.generation import GenerationState, TextGenerator  # noqa: E402
from gluepot.models.lm.loading.weights import load_model  # noqa: E402
from gluepot.models.pretrained import PretrainedSource  # noqa: E402
from gluepot.runs.prediction.resuming import validate_predictions  # noqa: E402
from gluepot.tasks.declarations import load_suite  # noqa: E402

POCKET = load_suite("pocket")


@dataclass
class StructuredOutputsParams:
    json: str | None = None
    disable_any_whitespace: bool = False


@dataclass
class SamplingParams:
    temperature: float = 1.0
    max_tokens: int | None = 16
    prompt_logprobs: int | None = None
    detokenize: bool = True
    structured_outputs: StructuredOutputsParams | None = None


@dataclass
class LoRARequest:
    lora_name: str
    lora_int_id: int
    lora_path: str = ""


@dataclass
class LLM:
    """Stub of the part of `vllm.LLM` that is used."""

    model: str
    dtype: str = "auto"
    trust_remote_code: bool = False
    tensor_parallel_size: int = 1
    enable_prefix_caching: bool | None = None
    revision: str | None = None
    tokenizer_revision: str | None = None
    enable_lora: bool = False
    max_lora_rank: int = 16
    started: ClassVar[list["LLM"]] = []
    adapters: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        if "no-card" in self.model:
            raise RuntimeError("Failed to infer device type, please set the environment variable\nmore lines")
        self.loaded = load_model(self.model)
        config = self.loaded.model.config
        self.llm_engine = SimpleNamespace(model_config=SimpleNamespace(max_model_len=config.max_position_embeddings, hf_config=config))
        LLM.started.append(self)

    def get_tokenizer(self) -> Any:
        return self.loaded.tokenizer

    def generate(self, prompts: Sequence[Any], sampling_params: Any, *, use_tqdm: bool = True, lora_request: Any = None) -> list[Any]:
        assert not use_tqdm
        self.adapters.append(lora_request)
        each = sampling_params if isinstance(sampling_params, list) else [sampling_params] * len(prompts)
        return [self._answer(prompt["prompt_token_ids"], own) for prompt, own in zip(prompts, each, strict=True)]

    def _answer(self, ids: list[int], own: SamplingParams) -> Any:
        assert own.temperature == 0
        assert len(ids) + own.max_tokens <= self.llm_engine.model_config.max_model_len
        told: list[Any] | None = None
        if own.prompt_logprobs is not None:
            with torch.inference_mode():
                logs = self.loaded.model(torch.tensor([ids])).logits[0].log_softmax(-1)
            told = [None, *({token: SimpleNamespace(logprob=float(logs[place, token]))} for place, token in enumerate(ids[1:]))]
        writer, schema = TextGenerator(self.loaded), own.structured_outputs and own.structured_outputs.json
        one = GenerationState(ids, own.max_tokens or 16, matcher=writer.matcher(schema) if schema else None)
        writer.run([one])
        return SimpleNamespace(prompt_logprobs=told, outputs=[SimpleNamespace(text=one.text, token_ids=one.written)])


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    parts = {"vllm": [LLM, SamplingParams], "vllm.sampling_params": [StructuredOutputsParams], "vllm.lora.request": [LoRARequest]}
    for name, classes in parts.items():
        module = ModuleType(name)
        for one in classes:
            setattr(module, one.__name__, one)
        monkeypatch.setitem(sys.modules, name, module)
    engine.load_engine_cached.cache_clear()
    LLM.started.clear()
    yield
    engine.load_engine_cached.cache_clear()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("tiny"))


def answers(model: str, name: str, **told: Any) -> list[Any]:
    task = POCKET.tasks[name]
    adapter = make_adapter(parse_model(model, **{"shots": 1, **told}), 0)
    adapter.fit(task, load_examples(task, "train"), [])
    items = load_examples(task, "test")[:3]
    return validate_predictions(task, items, adapter.predict(task, items))


@pytest.mark.parametrize("name", ["stance-sv", "cloze-ru", "multi-choice-ru", "entities-da", "paraphrase-sv"])
@pytest.mark.parametrize("make", [make_tiny, make_windowed])
def test_vllm_predictions_equal_those_of_lm(name: str, make: Any, tmp_path: Path) -> None:
    place = make(tmp_path / "model")
    mine, theirs = answers(f"lm:{place}", name), answers(f"vllm:{place}", name)
    assert [one.output for one in theirs] == [one.output for one in mine]
    for own, other in zip(mine, theirs, strict=True):
        assert (other.said.way, other.said.text, other.said.tokens) == (own.said.way, own.said.text, own.said.tokens)
        assert other.scores == (None if own.scores is None else pytest.approx(own.scores, abs=1e-4))


def test_long_prompts_drop_their_oldest_shots(tmp_path: Path) -> None:
    config = make_tiny(tmp_path) / "config.json"
    config.write_text(config.read_text().replace("4096", "400"))
    assert all(0 < one.said.cut < 6 for one in answers(f"vllm:{tmp_path}", "stance-sv", shots=6))


def test_settings_and_adapter_are_passed_to_vllm(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text("{}")
    answers(f"vllm:{tiny}+{tmp_path}", "stance-sv", precision="bf16", tensor_parallel=2)
    (one,) = LLM.started
    assert (one.dtype, one.tensor_parallel_size, one.enable_prefix_caching, one.enable_lora) == ("bfloat16", 2, True, True)
    assert one.adapters == [LoRARequest("adapter", 1, str(tmp_path))]


def test_hub_name_is_pinned_to_its_commit(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}
    monkeypatch.setattr(sys.modules["vllm"], "LLM", lambda **told: seen.update(told) or LLM(str(tiny)))
    engine.load_engine_cached(PretrainedSource("org/model", "c0ffee"), "auto", 1)
    assert {seen["revision"], seen["tokenizer_revision"]} == {"c0ffee"}
    assert seen["model"] == "org/model"


def test_failed_start_and_missing_library_are_one_line_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GluepotError, match=r"^vllm: .*no-card cannot be loaded: Failed to infer device type, please set .* variable$"):
        engine.load_engine_cached(PretrainedSource(str(tmp_path / "no-card")), "auto", 1)
    monkeypatch.setitem(sys.modules, "vllm", None)
    model = parse_model(f"vllm:{tmp_path}")
    with pytest.raises(GluepotError, match=r"vllm needs vllm: pip install 'gluepot\[vllm\]'"), libraries_of(model.info):
        make_adapter(model, 0)


def test_models_command_lists_vllm(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    assert "vllm:PATH|HUB_ID[+ADAPTER]" in capsys.readouterr().out
