"""BOS token that a GGUF file requires before every text, as llama.cpp reads it: transformers' tokenizers of such files omit it."""

import struct
from pathlib import Path
from typing import Any

KEY = "tokenizer.ggml."
BOS_BY_DEFAULT = ("llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "tekken", "chameleon")
"""Pre-tokenizers whose models need the BOS token where a file does not say (`llama-vocab.cpp`)."""


def add_bos(tokenizer: Any, path: Path) -> Any:
    """Return the tokenizer, set to add the BOS token or not, as the file says."""
    from tokenizers.processors import TemplateProcessing

    wanted, bos, number = wants_bos(path), tokenizer.bos_token, tokenizer.bos_token_id
    if wanted is None or number is None or wanted == (tokenizer("a")["input_ids"][:1] == [number]):
        return tokenizer
    begin, known = (f"{bos}:0 ", [(bos, number)]) if wanted else ("", [])
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(single=f"{begin}$A:0", pair=f"{begin}$A:0 $B:1", special_tokens=known)
    return tokenizer


def wants_bos(path: Path) -> bool | None:
    """Return the file's setting, else the default of its kind of tokenizer; None if neither is known."""
    try:
        told = _read_metadata(path)
    except (ValueError, KeyError, IndexError, struct.error):  # a broken file is reported where the weights are read
        return None
    if f"{KEY}add_bos_token" in told:
        return bool(told[f"{KEY}add_bos_token"])
    kind, split = told.get(f"{KEY}model"), told.get(f"{KEY}pre")
    return True if kind == "llama" or (kind == "gpt2" and split in BOS_BY_DEFAULT) else None


def _read_metadata(path: Path) -> dict[str, Any]:
    """Read with transformers' own reader, which skips the individual words; earlier versions have none."""
    try:
        from transformers.integrations.gguf.reader import read_gguf_metadata
    except ImportError:
        from gguf import GGUFReader

        fields = GGUFReader(path).fields
        names = [f"{KEY}{name}" for name in ("add_bos_token", "model", "pre")]
        return {name: fields[name].contents() for name in names if name in fields}
    found: dict[str, Any] = read_gguf_metadata(str(path))[0]
    return found
