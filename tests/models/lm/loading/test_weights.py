"""Missing, incomplete or unsuitable models raise one-line errors."""

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")
pytest.importorskip("gguf", reason="gguf is not installed")

from tests.models.encoder.conftest import make_model  # noqa: E402
from tests.models.lm.tiny import make_tiny  # noqa: E402

from gluepot.cli import main  # noqa: E402
from gluepot.errors import GluepotError  # noqa: E402
from gluepot.models.lm.loading.weights import load_model, load_models_cached  # noqa: E402
from gluepot.models.pretrained import PretrainedSource  # noqa: E402


def said(place: Path | str) -> str:
    with pytest.raises(GluepotError) as caught:
        load_model(str(place))
    message = str(caught.value)
    assert message.startswith("lm: ")
    assert str(place) in message
    assert "\n" not in message
    return message


def test_missing_folder_or_file_is_reported(tmp_path: Path) -> None:
    assert "is not there" in said("/nowhere")
    assert "is not there" in said(tmp_path / "none.gguf")
    (tmp_path / "empty").mkdir()
    assert "no config.json" in said(tmp_path / "empty")
    (tmp_path / "empty" / "small.gguf").touch()
    assert "Did you mean" in said(tmp_path / "empty")


def test_name_that_the_hub_cannot_provide_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert "not in the hub's cache" in said("some/hub-name")


def test_broken_gguf_file_is_reported(tmp_path: Path) -> None:
    from gguf import GGUFWriter

    path = tmp_path / "whole.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(1)
    writer.add_name("x" * 500)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(path.read_bytes()[:300])
    assert "cannot be loaded" in said(cut)
    text = tmp_path / "text.gguf"
    text.write_text("this is no model")
    assert "cannot be loaded" in said(text)


def test_an_encoder_is_refused(tmp_path: Path) -> None:
    assert f"Try encoder:{tmp_path}" in said(make_model(tmp_path, "bert"))
    assert "'distilbert'" in said(make_model(tmp_path, "distilbert"))


def test_missing_or_truncated_weights_are_reported(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = make_tiny(tmp_path) / "model.safetensors"
    kept = load_file(weights)
    save_file({name: tensor for name, tensor in kept.items() if "layers.1.mlp" not in name}, weights, {"format": "pt"})
    assert "lacks weights" in said(tmp_path)
    weights.write_bytes(weights.read_bytes()[:2000])
    assert "cannot be loaded" in said(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no-such"}))
    assert "no-such" in said(tmp_path)


def test_commands_print_the_error_message(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_text("this is no model")
    for words in (["evaluate"], ["probe"]):
        more = ["--out", str(tmp_path / "run")] if words == ["evaluate"] else []
        assert main([*words, f"lm:{tmp_path / 'broken.gguf'}", "pocket/stance-sv", *more]) == 1
        assert capsys.readouterr().err.startswith("gluepot: lm: ")


def test_model_stays_loaded_until_another_is_requested_or_its_files_change(tmp_path: Path) -> None:
    place = str(make_tiny(tmp_path / "one"))
    first = load_models_cached(PretrainedSource(place))
    assert load_models_cached(PretrainedSource(place)) is first
    config = tmp_path / "one" / "config.json"
    config.write_text(config.read_text().replace("4096", "2048"))
    changed = load_models_cached(PretrainedSource(place))
    assert [one.longest for one in changed] == [2048]
    assert load_models_cached(PretrainedSource(str(make_tiny(tmp_path / "two")))) is not changed
