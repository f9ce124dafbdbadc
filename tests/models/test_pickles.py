"""Opening a file never runs code: pickles are refused by content, not by name, and plain formats are read."""

import json
import pickle
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from tests.cli.hostile import write_pickle, write_remote_code

import gluepot
from gluepot.cli import main
from gluepot.errors import DataMissing, GluepotError, WrongUse
from gluepot.models.embeddings import open_embeddings

WORDS = ["katt", "hund", "åäö"]
MATRIX = np.array([[1, 0.5], [0, 2], [-1, 0.25]], np.float32)
OWN_PICKLES = {"efficiency/measurement/serving.py"}
"""Modules that may unpickle: data passed between gluepot's own processes in a private folder that is deleted at the end."""
UNSAFE = re.compile(
    r"pickle\.loads?\(|Unpickler|import (?:joblib|dill|shelve|marshal)|weights_only=False|allow_pickle=True|trust_remote_code=True"
)
TORCH_LOAD, FROM_PRETRAINED = re.compile(r"torch\.load\(|np\.load\("), re.compile(r"(?<!PeftConfig\.)(?<!PeftModel\.)from_pretrained\(")
"""PEFT runs no code from a repository, and reads only weights."""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.mark.parametrize("name", ["innocent.txt", "vectors.kv", "vectors.npy", "vectors.bin"])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_is_not_loaded_under_any_name(name: str, protocol: int, tmp_path: Path) -> None:
    path = write_pickle(tmp_path / name, tmp_path / "marker", protocol)
    with pytest.raises(WrongUse):
        open_embeddings(path)
    assert not (tmp_path / "marker").exists()


def test_refusal_of_a_pickle_names_the_conversion_and_the_option(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = write_pickle(tmp_path / "innocent.txt", tmp_path / "marker")
    words = ["evaluate", f"vectors:{path}", "pocket/analogy-sv", "--out", str(tmp_path / "run")]
    assert main(words) == 2
    told = capfd.readouterr().err
    assert "save_word2vec_format('innocent.bin', binary=True)" in told
    assert "--trust-pickle" in told
    assert not (tmp_path / "marker").exists()
    main([*words, "--trust-pickle"])
    assert (tmp_path / "marker").exists(), "who asks for it gets it"


def test_command_in_the_refusal_converts_the_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    models = pytest.importorskip("gensim.models", reason="gensim is not installed")
    keyed = models.KeyedVectors(2)
    keyed.add_vectors(WORDS, MATRIX)
    keyed.save(str(tmp_path / "v.kv"))
    with pytest.raises(WrongUse) as refused:
        open_embeddings(tmp_path / "v.kv")
    (line,) = [line.strip() for line in str(refused.value).splitlines() if line.startswith("  ")]
    subprocess.run(line.replace("python", sys.executable, 1), shell=True, cwd=tmp_path, check=True, timeout=120)
    assert np.allclose(open_embeddings(tmp_path / "v.bin").matrix, MATRIX)


def safetensors(path: Path, rows: np.ndarray, dtype: str, metadata: dict[str, str] | None = None, name: str = "embeddings") -> Path:
    header: dict[str, object] = {name: {"dtype": dtype, "shape": list(rows.shape), "data_offsets": [0, rows.nbytes]}}
    data = json.dumps({**header, **({"__metadata__": metadata} if metadata else {})}).encode()
    path.write_bytes(len(data).to_bytes(8, "little") + data + rows.tobytes())
    return path


@pytest.mark.parametrize("beside", ["v.words.txt", "v.vocab", "words.txt", "v.json", "vocab.json", "tokenizer.json"])
@pytest.mark.parametrize("kind", ["npy", "safetensors"])
def test_a_matrix_is_read_with_the_words_beside_it(kind: str, beside: str, tmp_path: Path) -> None:
    rows = {word: number for number, word in enumerate(WORDS)}
    texts = {"v.json": json.dumps(WORDS), "vocab.json": json.dumps(rows), "tokenizer.json": json.dumps({"model": {"vocab": rows}})}
    (tmp_path / beside).write_text(texts.get(beside, "\n".join(WORDS) + "\n"))
    if kind == "npy":
        np.save(tmp_path / "v.npy", MATRIX)
    else:
        safetensors(tmp_path / "v.safetensors", MATRIX, "F32", name="embedding.weight")
    found = open_embeddings(tmp_path / f"v.{kind}")
    assert list(found.words) == WORDS
    assert np.array_equal(found.matrix, MATRIX)


@pytest.mark.parametrize("dtype", ["F32", "F16", "F64", "BF16"])
def test_safetensors_of_every_precision_may_hold_their_words(dtype: str, tmp_path: Path) -> None:
    kinds = {"F32": np.float32, "F16": np.float16, "F64": np.float64}
    rows = MATRIX.astype(kinds[dtype]) if dtype in kinds else (MATRIX.view(np.uint32) >> 16).astype(np.uint16)
    found = open_embeddings(safetensors(tmp_path / "any name", rows, dtype, {"words": json.dumps(WORDS)}))
    assert np.array_equal(found.vector("ÅÄÖ"), MATRIX[2])


def test_a_file_of_the_safetensors_library_is_read(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed")
    library.save_file({"vectors": MATRIX, "bias": MATRIX[0]}, tmp_path / "v.safetensors", {"words": json.dumps(WORDS)})
    assert np.array_equal(open_embeddings(tmp_path / "v.safetensors").matrix, MATRIX)


def test_object_array_is_refused_without_unpickling(tmp_path: Path) -> None:
    from tests.cli.hostile import Touch

    np.save(tmp_path / "v.npy", np.array([[Touch(tmp_path / "marker")]], object), allow_pickle=True)
    (tmp_path / "v.words.txt").write_text("katt\n")
    with pytest.raises(WrongUse, match="without unpickling"):
        open_embeddings(tmp_path / "v.npy")
    assert not (tmp_path / "marker").exists()


def test_missing_or_mismatched_words_and_truncation_are_reported(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", MATRIX)
    with pytest.raises(DataMissing, match=r"v\.words\.txt"):
        open_embeddings(tmp_path / "v.npy")
    (tmp_path / "v.words.txt").write_text("katt\n")
    with pytest.raises(WrongUse, match="3 vectors, but 1 word "):
        open_embeddings(tmp_path / "v.npy")
    path = safetensors(tmp_path / "v.safetensors", MATRIX, "F32", {"words": json.dumps(WORDS)})
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(WrongUse, match="breaks off"):
        open_embeddings(path)


@pytest.mark.parametrize("command", ["probe", "lm", "encoder"])
def test_remote_code_does_not_run_by_default(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed")
    monkeypatch.setattr("builtins.input", lambda prompt="": pytest.fail("nobody is asked"))
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    model = write_remote_code(tmp_path / "model", tmp_path / "marker")
    task = "pocket/stance-sv"
    if command == "probe":
        assert main(["probe", f"lm:{model}", task, "--limit", "2"]) == 1
    else:
        assert main(["evaluate", f"{command}:{model}", task, "--limit", "2", "--precision", "fp32", "--out", str(tmp_path / "run")]) == 1
    told = capfd.readouterr().err
    assert "--trust-remote-code" in told
    assert not (tmp_path / "marker").exists()


def test_remote_code_runs_only_with_the_option(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed")
    from gluepot.models.pretrained import PretrainedSource, read_config

    model = str(write_remote_code(tmp_path / "model", tmp_path / "marker"))
    with pytest.raises(GluepotError, match="--trust-remote-code"):
        read_config("lm", PretrainedSource(model))
    assert not (tmp_path / "marker").exists()
    with suppress(Exception):  # not a valid configuration, but its code ran
        read_config("lm", PretrainedSource(model, None, True))
    assert (tmp_path / "marker").exists()


def test_no_module_unpickles_or_trusts_remote_code_by_default() -> None:
    for path in Path(gluepot.__file__).parent.rglob("*.py"):
        text = path.read_text()
        if path.relative_to(Path(gluepot.__file__).parent).as_posix() not in OWN_PICKLES:
            assert not UNSAFE.search(text), path
        for call in TORCH_LOAD.finditer(text):
            assert re.search(r"weights_only=True|allow_pickle=False", text[call.start() : call.start() + 200]), path
        for call in FROM_PRETRAINED.finditer(text):
            assert "trust_remote_code=" in text[call.start() : call.start() + 400], path
    keyed = (Path(gluepot.__file__).parent / "models" / "embeddings" / "formats" / "keyed.py").read_text()
    assert keyed.index("if not trusted:") < keyed.index("KeyedVectors.load(str(path)")
