"""Damaged cached encodings and saved models: dropped with a notice and recomputed."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from gluepot.data.examples import load_examples
from gluepot.models import ModelName, make_adapter
from gluepot.models.encoder.networks.loading import read_config, read_tokenization
from gluepot.models.encoder.preprocessing import cache
from gluepot.models.encoder.task_formats import make_task_format
from gluepot.models.pretrained import PretrainedSource
from gluepot.models.protocols import Settings
from gluepot.tasks.declarations import load_suite

TASK = load_suite("pocket").tasks["stance-sv"]
Tiny = Callable[..., str]


def columns(**changed: np.ndarray) -> bytes:
    """Return an archive of arrays as the cache writes it, with some replaced."""
    names = [f"{name}{end}" for name in ("ids", "types", "marks", "notes") for end in ("", "-sizes")]
    arrays = {name: np.zeros((2, 1) if "-" not in name else 2, np.int64) for name in names}
    stream = io.BytesIO()
    np.savez(stream, **{**arrays, "owner": np.array([0, 1]), "cut": np.array([], np.int64), **changed})
    return stream.getvalue()


def odd_archive() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("ids.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': [[[    ")
    return stream.getvalue()


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "text": lambda data: b"broken",
    "cut": lambda data: data[: len(data) // 2],
    "zeroes": lambda data: bytes(len(data)),
    "a flipped byte": lambda data: data[:200] + bytes([data[200] ^ 255]) + data[201:],
    "odd arrays": lambda data: odd_archive(),
    "flat": lambda data: columns(ids=np.zeros(2, np.int64)),
    "another number of rows": lambda data: columns(owner=np.array([0, 1, 2])),
    "rows of nobody": lambda data: columns(owner=np.array([0, 10**6])),
    "a scalar": lambda data: columns(owner=np.array(7)),
}


@pytest.mark.parametrize("harm", BROKEN.values(), ids=BROKEN)
def test_damaged_encodings_are_dropped_with_one_notice_and_recomputed(
    harm: Callable[[bytes], bytes], tiny: Tiny, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cache, "LEAST", 1)
    place = PretrainedSource(tiny("bert"))
    task_format, tokenization = make_task_format(TASK, Settings()), read_tokenization(place, read_config(place), 64)
    assert task_format is not None
    examples = load_examples(TASK, "train")[:9]
    first = cache.encode_cached(task_format, tokenization, examples)
    (path,) = cache.cache_folder().glob("*.npz")
    path.write_bytes(harm(path.read_bytes()))
    for told in (1, 0):
        again = cache.encode_cached(task_format, tokenization, examples)
        assert [ids.tolist() for ids in again.ids] == [ids.tolist() for ids in first.ids]
        assert capsys.readouterr().err.count("these kept encodings are broken; they are dropped and made again") == told


@pytest.mark.parametrize("name", ["trained.json", "model.safetensors"])
@pytest.mark.parametrize("harm", ["cut", "zeroes", "gone"])
def test_damaged_model_is_dropped_with_a_notice(
    name: str, harm: str, tiny: Tiny, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, settings = tmp_path / "kept", Settings(epochs=1, max_length=32)
    examples = load_examples(TASK, "train")[:6]
    adapter = make_adapter(ModelName("encoder", tiny("bert")), 0, settings)
    adapter.fit(TASK, examples, examples)
    adapter.save(folder)  # type: ignore[attr-defined]
    data = (folder / name).read_bytes()
    (folder / name).write_bytes({"cut": data[: len(data) // 2], "zeroes": bytes(len(data)), "gone": b""}[harm])
    other = make_adapter(ModelName("encoder", tiny("bert")), 0, settings)
    assert not other.load(TASK, folder)  # type: ignore[attr-defined]
    assert "this kept model is broken; it is dropped and trained again" in capsys.readouterr().err
    assert not folder.exists()
