"""Cache of tokenized data, keyed by its sources: neither the trials of a search nor the next run tokenize the same texts again."""

import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import msgspec
import numpy as np

from gluepot.models.caches import cache_root
from gluepot.models.encoder.preprocessing.tokenization import Ids, Tokenization
from gluepot.models.encoder.task_formats import EncodedRows, TaskFormat
from gluepot.notices import notify
from gluepot.records import Example

LEAST = 2_000
"""Number of examples below which tokenizing is faster than a lookup."""


def encode_cached(task_format: TaskFormat, tokenization: Tokenization, examples: Sequence[Example]) -> EncodedRows:
    """Return the rows of some examples, from the cache if they are there."""
    if len(examples) < LEAST:
        return task_format.encode(tokenization, list(examples))
    path = cache_folder() / f"{cache_key(task_format, tokenization, examples)}.npz"
    if (kept := read_kept(path, len(examples))) is not None:
        return kept
    encoded = task_format.encode(tokenization, list(examples))
    with suppress(OSError):  # a full disk is no reason to fail
        save(path, encoded)
    return encoded


def read_kept(path: Path, examples: int) -> EncodedRows | None:
    """Return cached rows, or None; a file broken by a bad disk or power loss is deleted with a notice."""
    if not path.is_file():
        return None
    try:
        encoded = load(path)
        lengths = {len(part) for part in (encoded.owner, encoded.ids, encoded.types, encoded.marks, encoded.notes)}
        if len(lengths) == 1 and set(encoded.owner) | encoded.cut <= set(range(examples)):
            return encoded
    except Exception:  # noqa: S110  zipfile, zlib and NumPy have a dozen ways to say that bytes make no sense
        pass
    notify(f"{path}: these kept encodings are broken; they are dropped and made again.")
    with suppress(OSError):
        path.unlink()
    return None


def cache_folder() -> Path:
    return cache_root() / "encodings"


def cache_key(task_format: TaskFormat, tokenization: Tokenization, examples: Sequence[Example]) -> str:
    """Hash everything that rows depend on: tokenizer, length, inputs, and the code that makes them."""
    digest = sha256(f"{task_format.task.kind} {type(task_format).__qualname__} {tokenization.max_length}".encode())
    backend = getattr(tokenization.tokenizer, "backend_tokenizer", None)
    digest.update((backend.to_str() if backend is not None else repr(sorted(tokenization.tokenizer.get_vocab().items()))).encode())
    here = Path(__file__).parent
    for path in sorted([here / "truncation.py", here / "tokenization.py", *(here.parent / "task_formats").glob("*.py")]):
        digest.update(path.read_bytes())
    encoder = msgspec.json.Encoder()
    for example in examples:
        digest.update(encoder.encode(example.inputs))
    return digest.hexdigest()[:32]


def save(path: Path, encoded: EncodedRows) -> None:
    """Write to a temporary file, then rename: readers see all or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    columns: dict[str, Any] = {"owner": np.array(encoded.owner), "cut": np.array(sorted(encoded.cut), np.int64)}
    for name in ("ids", "types", "marks", "notes"):
        parts: list[Ids] = getattr(encoded, name)
        columns[f"{name}-sizes"] = np.array([part.shape[0] for part in parts], np.int64)
        wide = [part.reshape(len(part), -1) if len(part) else part.reshape(0, 1) for part in parts]
        width = max((part.shape[1] for part in wide), default=1)
        none = np.zeros((0, width), np.int32)
        columns[name] = np.concatenate([none, *(part for part in wide if len(part))])
    draft = path.with_name(f".{path.stem}.{os.getpid()}.npz")
    try:
        np.savez(draft, **columns)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def load(path: Path) -> EncodedRows:
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as columns:
        if columns.zip.testzip() is not None:
            raise BadZipFile(path)
        lists = {}
        for name in ("ids", "types", "marks", "notes"):
            flat = columns[name].astype(np.int32)
            flat = flat[:, 0] if flat.shape[1] == 1 else flat
            lists[name] = np.split(flat, np.cumsum(columns[f"{name}-sizes"])[:-1])
        return EncodedRows(owner=columns["owner"].tolist(), cut=set(columns["cut"].tolist()), **lists)
