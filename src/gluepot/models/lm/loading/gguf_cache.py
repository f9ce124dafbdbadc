"""GGUF files are parsed once: the weights that came out are kept as safetensors, which are mapped into memory in a second or two."""

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
from gluepot.files import some_bytes
from gluepot.models.caches import cache_root
from gluepot.models.lm.loading.gguf_tokenizer import add_bos
from gluepot.models.pretrained import PretrainedSource
from gluepot.notices import tell

Parts = tuple[Any, Any, set[str]]
"""Tokenizer, model, and the names of weights that are not there."""
FORMAT = 2
"""Of what is kept; 1 had tokenizers without the mark before a text."""
ROOM = 2
"""Times the weights' size that the disk must have free, for them to be kept."""


def read_gguf(path: Path, precision: str, read: Callable[..., Parts]) -> Parts:
    """Tokenizer and model of a GGUF file, from what was kept of it or anew; `read` does the reading of either."""
    if not path.is_file():
        raise GluepotError(f"lm: the file {path} is not there.")
    place = kept_place(path, precision)
    if (place / "config.json").is_file():
        try:
            return read(PretrainedSource(str(place)), precision, open_tokenizer=open_tokenizer)
        except GluepotError:
            tell(f"{place}: what was kept of {path.name} is broken; the file is parsed again.")
            rmtree(place, ignore_errors=True)
    with redirect_stderr(StringIO()):  # a progress bar that no setting turns off
        tokenizer, *rest = read(PretrainedSource(str(path.parent)), precision, gguf_file=path.name)
    parts: Parts = (add_bos(tokenizer, path), *rest)
    if not parts[2]:
        _keep(place, parts)
    return parts


def kept_place(path: Path, precision: str) -> Path:
    """By the file's bytes, large ones in part, the precision, the version of the library that parses it, and our own."""
    from importlib.metadata import version

    digest = sha256(f"{path.stat().st_size} {precision} {version('transformers')} {FORMAT}\n".encode())
    digest.update(some_bytes(path))
    return cache_root() / "gguf" / digest.hexdigest()[:24]


def _keep(place: Path, parts: Parts) -> None:
    """Beside its place, then renamed; a full disk is no reason to fail."""
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
    """As a class that takes its file as it is: Gemma's own puts 262,144 words together anew, which is most of what a start takes."""
    tokenizer.save_pretrained(folder)
    settings = folder / "tokenizer_config.json"
    if (folder / "tokenizer.json").is_file():
        found = json.decode(settings.read_bytes())
        settings.write_bytes(json.format(json.encode(found | {"tokenizer_class": "PreTrainedTokenizerFast"})))


def open_tokenizer(folder: str) -> Any:
    """From its file alone: by a folder's name, transformers reads the file once more, as plain JSON, for what its settings say too."""
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    place = Path(folder)
    settings = json.decode((place / "tokenizer_config.json").read_bytes())
    if not (place / "tokenizer.json").is_file() or any(isinstance(value, dict) for value in settings.values()):
        return AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    template = place / "chat_template.jinja"
    own = {"chat_template": template.read_text(encoding="utf-8")} if template.is_file() else {}
    return PreTrainedTokenizerFast(tokenizer_file=str(place / "tokenizer.json"), **settings, **own)


def _forget_quantization(model: Any) -> None:
    """The weights are plain numbers by now; what still says otherwise would keep them from being saved."""
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
