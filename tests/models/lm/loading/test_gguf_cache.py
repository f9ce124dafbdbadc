"""Cache of parsed GGUF files, and limits of the prompt length by model and memory."""

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from tests.models.lm.tiny import make_tiny  # noqa: E402

from gluepot.errors import GluepotError, WrongUse  # noqa: E402
from gluepot.models.lm.inference import memory  # noqa: E402
from gluepot.models.lm.inference.memory import check_memory, token_bytes  # noqa: E402
from gluepot.models.lm.loading import gguf_cache, weights  # noqa: E402
from gluepot.models.lm.loading.gguf_cache import gguf_cache_path  # noqa: E402
from gluepot.models.lm.loading.weights import load_model  # noqa: E402
from gluepot.models.pretrained import PretrainedSource  # noqa: E402
from gluepot.models.pretrained.devices import choose_device  # noqa: E402

pytestmark = [pytest.mark.usefixtures("own_cache"), pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """List of the GGUF files that are parsed; parsing gives a tiny model instead."""
    real, found = weights._read_parts, list[str]()
    tiny = str(make_tiny(tmp_path / "tiny"))
    (tmp_path / "small.gguf").write_bytes(b"GGUF" + b"0" * 100)

    def read(source: PretrainedSource, precision: str, gguf_file: str = "", **more: Any) -> Any:
        if gguf_file:
            found.append(gguf_file)
            return real(PretrainedSource(tiny), precision)
        return real(source, precision, **more)

    monkeypatch.setattr(weights, "_read_parts", read)
    return found


def test_file_is_parsed_once_and_the_cache_gives_the_same_model(parsed: list[str], tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    first, second = load_model(str(path), "fp32"), load_model(str(path), "fp32")
    assert parsed == ["small.gguf"]
    assert first.encode(["hej på dig"]) == second.encode(["hej på dig"])
    ids = torch.tensor(first.encode(["hej på dig"]))
    with torch.inference_mode():
        assert torch.equal(first.model(ids).logits, second.model(ids).logits)
    path.write_bytes(b"GGUF" + b"1" * 100)
    load_model(str(path), "fp32")
    assert parsed == ["small.gguf"] * 2, "another file is another model"


def test_cached_tokenizer_uses_its_file_unchanged(tmp_path: Path) -> None:
    """Gemma's own class would rebuild the tokenizer from its vocabulary."""
    from transformers import AutoTokenizer, GemmaTokenizer

    words = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "▁", *"abcdefgjhåp", "he"]
    own = GemmaTokenizer(vocab={word: number for number, word in enumerate(words)}, merges=[("h", "e")])
    own.chat_template = "{{ messages[0]['content'] }}"
    gguf_cache._keep_tokenizer(own, tmp_path)
    kept = gguf_cache.open_tokenizer(str(tmp_path))
    assert type(own) is not type(kept)
    assert vars(kept).keys() == vars(AutoTokenizer.from_pretrained(tmp_path)).keys()
    for text in ("hej på  dig", "<bos>he a<eos>", "ÅÅ\n"):
        assert kept(text)["input_ids"] == own(text)["input_ids"]
        assert kept.decode(own(text)["input_ids"]) == own.decode(own(text)["input_ids"])
    assert (kept.bos_token_id, kept.eos_token_id, kept.pad_token_id) == (own.bos_token_id, own.eos_token_id, own.pad_token_id)
    assert kept.chat_template == own.chat_template


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "tokenizer_config.json"])
def test_damaged_cache_is_parsed_again_with_a_notice(
    file: str, parsed: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.gguf"
    load_model(str(path), "fp32")
    (gguf_cache_path(path, "fp32") / file).write_bytes(b"half")
    load_model(str(path), "fp32")
    assert "is parsed again" in capsys.readouterr().err
    assert len(parsed) == 2


def test_prompt_length_is_limited_by_the_model_and_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import json

    folder = make_tiny(tmp_path / "long")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"max_position_embeddings": 131_072}))
    loaded = load_model(str(folder))
    assert loaded.longest == 131_072
    check_memory(loaded, 1000)
    monkeypatch.setattr(memory, "free_bytes", lambda device: 1000 * token_bytes(loaded.model))
    with pytest.raises(GluepotError, match=r"a prompt of 1,000 tokens is too long for this machine.*Take fewer --shots"):
        check_memory(loaded, 1000)


def test_unavailable_device_is_refused() -> None:
    assert choose_device("cpu").type == "cpu"
    if not torch.cuda.is_available():
        with pytest.raises(WrongUse, match=r"--device cuda: torch finds no such device here\. There is: cpu"):
            choose_device("cuda")
