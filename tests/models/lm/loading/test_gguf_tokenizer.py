"""BOS token of GGUF files: the file declares it, transformers omits it, and models like Llama 3 fail without it."""

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
gguf = pytest.importorskip("gguf", reason="gguf is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from tokenizers.pre_tokenizers import ByteLevel  # noqa: E402

from gluepot.models.lm.loading.weights import load_model  # noqa: E402

pytestmark = pytest.mark.usefixtures("own_cache")
WIDTH = 32


def write(path: Path, split: str, *, add_bos: bool | None = None) -> str:
    """Write a random Llama of one layer."""
    words = ["<|begin|>", "<|end|>", *sorted(ByteLevel.alphabet()), "he"]
    file = gguf.GGUFWriter(path, "llama")
    for name, value in (("context_length", 128), ("embedding_length", WIDTH), ("block_count", 1), ("feed_forward_length", 64)):
        getattr(file, f"add_{name}")(value)
    file.add_head_count(2)
    file.add_head_count_kv(2)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_vocab_size(len(words))
    file.add_tokenizer_model("gpt2")
    file.add_tokenizer_pre(split)
    file.add_token_list(words)
    file.add_token_types([3, 3, *([1] * (len(words) - 2))])
    file.add_token_merges(["h e"])
    file.add_bos_token_id(0)
    file.add_eos_token_id(1)
    if add_bos is not None:
        file.add_add_bos_token(add_bos)
    for name, shape in shapes(len(words)).items():
        file.add_tensor(name, torch.randn(shape, generator=torch.Generator().manual_seed(0)).numpy())
    for step in (file.write_header_to_file, file.write_kv_data_to_file, file.write_tensors_to_file, file.close):
        step()
    return str(path)


def shapes(words: int) -> dict[str, Any]:
    square = {f"blk.0.attn_{part}.weight": (WIDTH, WIDTH) for part in ("q", "k", "v", "output")}
    feed = {"blk.0.ffn_gate.weight": (64, WIDTH), "blk.0.ffn_up.weight": (64, WIDTH), "blk.0.ffn_down.weight": (WIDTH, 64)}
    norms = {f"{name}.weight": (WIDTH,) for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm")}
    return {"token_embd.weight": (words, WIDTH), "output.weight": (words, WIDTH), **square, **feed, **norms}


@pytest.mark.parametrize(
    ("split", "add_bos", "begins"),
    [("llama-bpe", None, True), ("llama-bpe", False, False), ("smollm", None, False), ("smollm", True, True)],
    ids=["Llama 3 that does not say", "Llama 3 that wants none", "SmolLM that does not say", "SmolLM that wants one"],
)
def test_texts_begin_with_a_bos_token_if_the_file_or_its_type_requires_it(
    split: str, add_bos: bool | None, begins: bool, tmp_path: Path
) -> None:
    place = write(tmp_path / "small.gguf", split, add_bos=add_bos)
    for _ in range(2):  # parsed, then from the cache
        ids = load_model(place).encode(["hej", "<|begin|>hej"])
        assert [one[:1] == [0] for one in ids] == [begins, True]
        assert ids[1].count(0) == 1, "a chat template may have written it already"
