"""Cache of parsed GGUF files: their weights are saved as safetensors, which are mapped into memory in a second or two."""

import os
from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from hashlib import sha256
from io import StringIO
from pathlib import Path
from shutil import disk_usage, rmtree
from typing import Any

from msgspec import json

from gluepot.errors import GluepotError
from gluepot.files import sample_bytes
from gluepot.models.caches import cache_root
from gluepot.models.lm.loading.gguf_tokenizer import add_bos
from gluepot.models.pretrained import PretrainedSource
from gluepot.notices import notify

Parts = tuple[Any, Any, set[str]]
"""Tokenizer, model, and the names of missing weights."""
FORMAT = 2
"""Version of the cache format; 1 had tokenizers without the BOS token before a text."""
ROOM = 2
"""Free disk space required for caching, as a multiple of the weights' size."""


def read_gguf(path: Path, precision: str, read: Callable[..., Parts]) -> Parts:
    """Return tokenizer and model of a GGUF file, from the cache or newly parsed; `read` loads either."""
    if not path.is_file():
        raise GluepotError(f"lm: the file {path} is not there.")
    place = gguf_cache_path(path, precision)
    if (place / "config.json").is_file():
        try:
            return read(PretrainedSource(str(place)), precision, open_tokenizer=open_tokenizer)
        except GluepotError:
            notify(f"{place}: what was kept of {path.name} is broken; the file is parsed again.")
            rmtree(place, ignore_errors=True)
    with redirect_stderr(StringIO()):  # a progress bar that no setting turns off
        tokenizer, *rest = read(PretrainedSource(str(path.parent)), precision, gguf_file=path.name)
    parts: Parts = (add_bos(tokenizer, path), *rest)
    if not parts[2]:
        _keep(place, parts)
    return parts


def gguf_cache_path(path: Path, precision: str) -> Path:
    """Return the cache folder, keyed by the file's bytes (large files in part), precision, the parsing library's version, and FORMAT."""
    from importlib.metadata import version

    digest = sha256(f"{path.stat().st_size} {precision} {version('transformers')} {FORMAT}\n".encode())
    digest.update(sample_bytes(path))
    return cache_root() / "gguf" / digest.hexdigest()[:24]


def _keep(place: Path, parts: Parts) -> None:
    """Write to a temporary folder, then rename; a full disk is no reason to fail."""
    tokenizer, model, _ = parts
    _forget_quantization(model)
    draft = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if disk_usage(place.parent).free < ROOM * sum(weight.numel() * weight.element_size() for weight in model.parameters()):
            return
        _keep_tokenizer(tokenizer, draft)
        model.save_pretrained(draft)
        draft.rename(place)
    except (OSError, ValueError, NotImplementedError, RuntimeError):
        with suppress(OSError):
            rmtree(draft)


def _keep_tokenizer(tokenizer: Any, folder: Path) -> None:
    """Save the tokenizer under a class that takes its file as it is: Gemma's own rebuilds 262,144 words, most of the start-up time."""
    tokenizer.save_pretrained(folder)
    settings = folder / "tokenizer_config.json"
    if (folder / "tokenizer.json").is_file():
        found = json.decode(settings.read_bytes())
        settings.write_bytes(json.format(json.encode(found | {"tokenizer_class": "PreTrainedTokenizerFast"})))


def open_tokenizer(folder: str) -> Any:
    """Open a tokenizer from its file alone: given a folder, transformers parses it again, as plain JSON, for what its settings hold."""
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    place = Path(folder)
    settings = json.decode((place / "tokenizer_config.json").read_bytes())
    if not (place / "tokenizer.json").is_file() or any(isinstance(value, dict) for value in settings.values()):
        return AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    template = place / "chat_template.jinja"
    own = {"chat_template": template.read_text(encoding="utf-8")} if template.is_file() else {}
    return PreTrainedTokenizerFast(tokenizer_file=str(place / "tokenizer.json"), **settings, **own)


def _forget_quantization(model: Any) -> None:
    """Remove the quantization settings, which would prevent saving: the weights are plain numbers by now."""
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
