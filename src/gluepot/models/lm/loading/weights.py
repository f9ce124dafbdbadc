"""Weights and tokenizer of a causal language model from a folder, a GGUF file, or a name on the Hub."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from gluepot.errors import GluepotError
from gluepot.models import pretrained
from gluepot.models.lm.loading.gguf_cache import read_gguf
from gluepot.models.lm.loading.lora import merge_adapter
from gluepot.models.lm.loading.placement import ANYWHERE, Placement, all_devices, check_quantization, map_settings, spread_out
from gluepot.models.precision_probe import AUTO, FULL
from gluepot.models.pretrained import PretrainedSource, find_source
from gluepot.models.pretrained.devices import choose_device
from gluepot.models.pretrained.hub import model_files

UNKNOWN = 4096
"""Maximum prompt tokens of a model that does not declare any."""


@dataclass(frozen=True)
class LoadedModel:
    """A model with all that determines its tokenization; shared by all jobs of a process, and therefore never changed."""

    model: Any
    tokenizer: Any
    longest: int
    start: list[int]
    """Token ids that precede every text."""

    def encode(self, texts: list[str]) -> list[list[int]]:
        ids = self.tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else []
        return [one if one[: len(self.start)] == self.start else [*self.start, *one] for one in ids] if self.start else ids

    @property
    def chat(self) -> bool:
        return bool(getattr(self.tokenizer, "chat_template", None))


def load_models_cached(source: PretrainedSource, precision: str = AUTO, placement: Placement = ANYWHERE) -> list[LoadedModel]:
    """Return the models that this process loaded last, if they are the same, as it does many jobs with one model; one copy per device."""
    files = [file for place in source.places for file in _files(place)]
    return _kept(source, precision, placement, tuple((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files))


def _files(place: str) -> list[Path]:
    path = Path(place).expanduser()
    return [path] if path.is_file() else model_files(path) if path.is_dir() else []


@lru_cache(maxsize=1)
def _kept(source: PretrainedSource, precision: str, placement: Placement, files: tuple[tuple[str, int, int], ...]) -> list[LoadedModel]:
    if placement.device_map:
        return [load_model(source, precision, placement=placement)]
    return [load_model(source, precision, str(device)) for device in all_devices(placement.device)]


def load_model(source: PretrainedSource | str, precision: str = AUTO, device: str = AUTO, placement: Placement = ANYWHERE) -> LoadedModel:
    """Load in fp32 on a CPU, and in the weights' own precision on a GPU, unless another one is given."""
    source = find_source(source) if isinstance(source, str) else source
    path = Path(source.place).expanduser()
    spread = placement.device_map
    if path.suffix == ".gguf":
        tokenizer, model, missing = read_gguf(path, precision, _read_parts)
        model = spread_out(model, spread) if spread else model
    else:
        tokenizer, model, missing = _read(source, precision, **map_settings(spread))
    if not spread and not getattr(model, "is_quantized", False):
        model = model.to(choose_device(device))
    if missing:
        raise GluepotError(f"lm: {source.place} lacks weights that a causal language model needs, first: {min(missing)}.")
    model = merge_adapter(model, source.adapter) if source.adapter else model
    return LoadedModel(model, tokenizer, longest_prompt(model, tokenizer), start_of(str(model.config.model_type), tokenizer))


def longest_prompt(model: Any, tokenizer: Any) -> int:
    """Return the maximum tokens of a prompt: the model's own, else its tokenizer's; never limited by the memory free at the moment."""
    config = model.config.get_text_config()
    made_for = int(getattr(config, "max_position_embeddings", 0) or 0)
    told = int(tokenizer.model_max_length) if tokenizer.model_max_length < 10**9 else 0
    return made_for or told or UNKNOWN


def _read(source: PretrainedSource, precision: str, **more: Any) -> tuple[Any, Any, set[str]]:
    """Read a model from a folder or a name on the Hub."""
    config = pretrained.read_config("lm", source)
    check_quantization(source.place, config)
    if not source.trust_remote_code:  # only transformers' own architectures are known here
        _refuse_encoders(source.place, config)
    return _read_parts(source, precision, **more)


def _read_parts(
    source: PretrainedSource, precision: str, gguf_file: str = "", open_tokenizer: Callable[[str], Any] | None = None, **more: Any
) -> tuple[Any, Any, set[str]]:
    """Return tokenizer, model, and the names of weights that were initialized because the file lacks them."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    pretrained.silence_libraries()
    cuda = torch.cuda.is_available()
    named = {FULL: torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
    dtype = named.get(precision, "auto" if cuda else torch.float32)
    own = {**source.pinned, **({"gguf_file": gguf_file} if gguf_file else {})}
    try:
        tokenizer = (
            open_tokenizer(source.where)
            if open_tokenizer
            else AutoTokenizer.from_pretrained(source.where, trust_remote_code=source.trust_remote_code, **own)
        )
        model, told = AutoModelForCausalLM.from_pretrained(
            source.where,
            trust_remote_code=source.trust_remote_code,
            dtype=dtype,
            output_loading_info=True,
            weights_only=True,
            **own,
            **more,
        )
    except Exception as error:  # a broken file makes the libraries fail in many ways
        place = f"{source.place}/{gguf_file}" if gguf_file else source.place
        raise GluepotError(f"lm: {place} cannot be loaded: {pretrained.first_line(error)}") from error
    return tokenizer, model.eval(), set(told["missing_keys"])


def _refuse_encoders(place: str, config: Any) -> None:
    """Raise for encoders: transformers would give BERT a new head and let it see what it must predict."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, MODEL_FOR_MASKED_LM_MAPPING_NAMES

    kind = config.model_type
    masked = kind in MODEL_FOR_MASKED_LM_MAPPING_NAMES and not (config.is_encoder_decoder or getattr(config, "is_decoder", False))
    if masked or kind not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        hint = f" Try encoder:{place}." if masked else ""
        raise GluepotError(f"lm: {place} is a model of the type {kind!r}, which does not write text from left to right.{hint}")


def start_of(model_type: str, tokenizer: Any) -> list[int]:
    """Return the ids before a text: Gemma needs BOS, which the tokenizer of its GGUF omits; others follow their tokenizer."""
    bos = tokenizer.bos_token_id
    if bos is None:
        return []
    wanted = model_type.startswith("gemma") or tokenizer("a")["input_ids"][:1] == [bos]
    return [bos] if wanted else []
