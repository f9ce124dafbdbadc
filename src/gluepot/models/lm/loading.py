"""Weights and tokenizer of a causal language model: a folder, a GGUF file, or a name on the hub."""

from contextlib import redirect_stderr
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from pathlib import Path
from typing import Any

from gluepot.errors import GluepotError, nearest
from gluepot.models import pretrained
from gluepot.models.trials import AUTO, FULL

LONGEST = 4096
"""Tokens of a prompt where the model itself allows more."""


@dataclass(frozen=True)
class LoadedModel:
    """A model with all that decides how texts become its tokens; shared by all jobs of a process, therefore never changed."""

    model: Any
    tokenizer: Any
    longest: int
    start: list[int]
    """Ids that stand before every text."""

    def encode(self, texts: list[str]) -> list[list[int]]:
        ids = self.tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else []
        return [one if one[: len(self.start)] == self.start else [*self.start, *one] for one in ids] if self.start else ids

    @property
    def chat(self) -> bool:
        return bool(getattr(self.tokenizer, "chat_template", None))


def keep_model(place: str, precision: str = AUTO, *, trust_remote_code: bool = False) -> LoadedModel:
    """The model that this process loaded last, if that was the same: a process does many jobs with one model."""
    path = Path(place).expanduser()
    files = [path] if path.is_file() else sorted(path.rglob("*")) if path.is_dir() else []
    return _kept(place, precision, trust_remote_code, tuple((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files))


@lru_cache(maxsize=1)
def _kept(place: str, precision: str, trust_remote_code: bool, files: tuple[tuple[str, int, int], ...]) -> LoadedModel:
    return load_model(place, precision, trust_remote_code=trust_remote_code)


def load_model(place: str, precision: str = AUTO, *, trust_remote_code: bool = False) -> LoadedModel:
    """In fp32 on a processor, in the weights' own precision on a graphics card, unless another one is named."""
    path = Path(place).expanduser()
    tokenizer, model, missing = _read_gguf(path, precision) if path.suffix == ".gguf" else _read(place, precision, trust_remote_code)
    if missing:
        raise GluepotError(f"lm: {place} lacks weights that a causal language model needs, first: {min(missing)}.")
    longest = min(LONGEST, int(getattr(model.config, "max_position_embeddings", LONGEST) or LONGEST))
    return LoadedModel(model, tokenizer, longest, _start(model, tokenizer))


def _read(place: str, precision: str, trust_remote_code: bool) -> tuple[Any, Any, set[str]]:
    """A folder or a name on the hub."""
    folder = Path(place).expanduser()
    found = sorted(file.name for file in folder.glob("*.gguf")) if not (folder / "config.json").is_file() else []
    if found:
        raise GluepotError(f"lm: {place} has no config.json. Did you mean lm:{folder / (nearest('model', found) or found[0])}?")
    config = pretrained.read_config("lm", place, trust_remote_code=trust_remote_code)
    if not trust_remote_code:  # only transformers' own architectures are known here
        _refuse_encoders(place, config)
    return _read_parts(place, pretrained.where(place), precision, trust_remote_code=trust_remote_code)


def _read_gguf(path: Path, precision: str) -> tuple[Any, Any, set[str]]:
    if not path.is_file():
        raise GluepotError(f"lm: the file {path} is not there.")
    with redirect_stderr(StringIO()):  # a progress bar that no setting turns off
        return _read_parts(str(path), str(path.parent), precision, gguf_file=path.name)


def _read_parts(place: str, where: str, precision: str, *, trust_remote_code: bool = False, **more: str) -> tuple[Any, Any, set[str]]:
    """Tokenizer, model, and the names of weights that were made up because the file has none."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    pretrained.quieten()
    cuda = torch.cuda.is_available()
    named = {FULL: torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
    dtype = named.get(precision, "auto" if cuda else torch.float32)
    try:
        tokenizer = AutoTokenizer.from_pretrained(where, trust_remote_code=trust_remote_code, **more)
        model, told = AutoModelForCausalLM.from_pretrained(
            where, dtype=dtype, output_loading_info=True, weights_only=True, trust_remote_code=trust_remote_code, **more
        )
    except Exception as error:  # a broken file makes the libraries stumble in many ways
        raise GluepotError(f"lm: {place} cannot be loaded: {pretrained.first_line(error)}") from error
    return tokenizer, model.eval().to("cuda" if cuda else "cpu"), set(told["missing_keys"])


def _refuse_encoders(place: str, config: Any) -> None:
    """Transformers would give BERT a fresh head and let it see what it must predict."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, MODEL_FOR_MASKED_LM_MAPPING_NAMES

    kind = config.model_type
    masked = kind in MODEL_FOR_MASKED_LM_MAPPING_NAMES and not (config.is_encoder_decoder or getattr(config, "is_decoder", False))
    if masked or kind not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        hint = f" Try encoder:{place}." if masked else ""
        raise GluepotError(f"lm: {place} is a model of the type {kind!r}, which does not write text from left to right.{hint}")


def _start(model: Any, tokenizer: Any) -> list[int]:
    """Gemma is lost without the beginning of a text, which the tokenizer of its GGUF leaves out; others follow their tokenizer."""
    bos = tokenizer.bos_token_id
    if bos is None:
        return []
    wanted = str(model.config.model_type).startswith("gemma") or tokenizer("a")["input_ids"][:1] == [bos]
    return [bos] if wanted else []
