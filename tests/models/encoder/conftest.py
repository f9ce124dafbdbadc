"""Tiny random models, each in a folder as Hugging Face saves it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install torch==2.13.0 'gluepot[torch]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'gluepot[torch]'")

torch.set_num_threads(1)  # tests run in parallel
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
LETTERS = "abcdefghijklmnopqrstuvwxyzåäöæøéABCDEFGHIJKLMNOPQRSTUVWXYZабвгдежзийклмнопрстуфхцчшщъыьэюя0123456789.,!?-'’«»()"


def wordpiece() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    tokenizer = Tokenizer(models.WordPiece({piece: number for number, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    special = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    return tokenizer, special


def bytelevel() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    pieces = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE({piece: number for number, piece in enumerate(pieces)}, [], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False)
    special = {"unk_token": "<unk>", "pad_token": "<pad>", "cls_token": "<s>", "sep_token": "</s>", "eos_token": "</s>"}
    return tokenizer, special


def unigram() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0), *((letter, -3.0) for letter in LETTERS)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    special = {"unk_token": "<unk>", "pad_token": "<pad>", "cls_token": "<s>", "sep_token": "</s>", "eos_token": "</s>"}
    return tokenizer, special


def configs() -> dict[str, tuple[Any, Callable[[], Any], dict[str, Any]]]:
    import transformers as t

    roberta = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "type_vocab_size": 1}
    return {
        "bert": (t.BertConfig, wordpiece, {"max_position_embeddings": 64}),
        "electra": (t.ElectraConfig, wordpiece, {"embedding_size": 32, "max_position_embeddings": 64}),
        "convbert": (
            t.ConvBertConfig,
            wordpiece,
            {"embedding_size": 32, "head_ratio": 1, "max_position_embeddings": 64, "initializer_range": 0.3},
        ),
        "distilbert": (
            t.DistilBertConfig,
            wordpiece,
            {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64, "max_position_embeddings": 64},
        ),
        "deberta-v2": (t.DebertaV2Config, wordpiece, {"max_position_embeddings": 64, "relative_attention": True, "pos_att_type": ["p2c"]}),
        "modernbert": (
            t.ModernBertConfig,
            wordpiece,
            {
                "max_position_embeddings": 64,
                "local_attention": 16,
                "pad_token_id": 0,
                "cls_token_id": 2,
                "sep_token_id": 3,
                "bos_token_id": 2,
                "eos_token_id": 3,
            },
        ),
        **(
            {"eurobert": (t.EuroBertConfig, wordpiece, {"max_position_embeddings": 64, "num_key_value_heads": 1, "pad_token_id": 0})}
            if hasattr(t, "EuroBertConfig")
            else {}
        ),
        "t5": (
            t.T5Config,
            unigram,
            {
                "d_model": 32,
                "d_kv": 16,
                "d_ff": 64,
                "num_layers": 2,
                "num_heads": 2,
                "pad_token_id": 1,
                "eos_token_id": 2,
                "decoder_start_token_id": 1,
            },
        ),
        "roberta": (t.RobertaConfig, bytelevel, {"max_position_embeddings": 130, **roberta}),
        "xlm-roberta": (t.XLMRobertaConfig, unigram, {"max_position_embeddings": 66, **roberta}),
    }


ARCHITECTURES = ("bert", "electra", "distilbert", "deberta-v2", "roberta", "xlm-roberta")


def make_model(folder: Path, name: str) -> Path:
    """Save a random model of an architecture with its tokenizer."""
    from transformers import AutoModel, PreTrainedTokenizerFast

    maker, tokenizer_of, more = configs()[name]
    tokenizer, special = tokenizer_of()
    small = {} if name in ("distilbert", "t5") else SMALL
    torch.manual_seed(1)
    config = maker(vocab_size=tokenizer.get_vocab_size(), **small, **more)
    AutoModel.from_config(config).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Function that returns the folder of a tiny model of an architecture, created once."""
    made: dict[str, str] = {}

    def find(name: str = "bert") -> str:
        if name not in made:
            made[name] = str(make_model(tmp_path_factory.mktemp("models") / name, name))
        return made[name]

    return find


@pytest.fixture(autouse=True)
def cache(own_cache: Path) -> None:
    """Give every test a cache of its own."""
