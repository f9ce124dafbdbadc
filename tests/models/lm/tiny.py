"""Random language models with few layers and byte tokens."""

from pathlib import Path

WINDOW = 16
"""Attention window of some layers of the windowed model, shorter than any prompt."""


def make_tiny(folder: Path) -> Path:
    from transformers import LlamaConfig, LlamaForCausalLM

    size = save_tokenizer(folder)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1}
    config = LlamaConfig(vocab_size=size, max_position_embeddings=4096, eos_token_id=0, bos_token_id=None, **sizes)
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def make_windowed(folder: Path) -> Path:
    """Save a Gemma 3: most layers attend to recent tokens only, and texts begin with a BOS token that the tokenizer omits."""
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    size = save_tokenizer(folder, bos_token="<|end|>")
    config = Gemma3TextConfig(
        vocab_size=size,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=3,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        sliding_window=WINDOW,
        layer_types=["sliding_attention", "sliding_attention", "full_attention"],
        max_position_embeddings=4096,
        eos_token_id=0,
        bos_token_id=0,
        pad_token_id=0,
        initializer_range=0.5,  # large enough for the window to affect the output
    )
    Gemma3ForCausalLM(config).save_pretrained(folder)
    return folder


def save_tokenizer(folder: Path, **special: str) -> int:
    """Save a byte tokenizer with an end token, and return its size; seed torch, so that the next weights are always the same."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {token: number for number, token in enumerate(["<|end|>", *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    torch.manual_seed(0)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>", **special).save_pretrained(folder)
    return len(vocabulary)
