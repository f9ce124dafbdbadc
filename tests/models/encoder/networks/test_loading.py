"""Defective model files raise one-line errors, and never yield random weights or an empty vocabulary."""

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import transformers
from tests.models.encoder.conftest import wordpiece

from gluepot.data.examples import load_examples
from gluepot.errors import GluepotError
from gluepot.models import CannotSolve, make_adapter, parse_model
from gluepot.models.protocols import Settings
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket").tasks
Tiny = Callable[[str], str]


def fit(place: Path | str, task: str = "stance-sv") -> None:
    adapter = make_adapter(parse_model(f"encoder:{place}"), 0, Settings(epochs=1))
    adapter.fit(POCKET[task], load_examples(POCKET[task], "train")[:4], [])


def save(folder: Path, maker: Any, config: Any) -> Path:
    """Save a random model with a tokenizer of letters."""
    tokenizer, special = wordpiece()
    maker(config(vocab_size=tokenizer.get_vocab_size())).save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    return folder


@pytest.fixture
def copied(tiny: Tiny, tmp_path: Path) -> Path:
    """Copy of a tiny model that the test may damage."""
    return Path(copytree(tiny("bert"), tmp_path / "bert"))


def test_missing_tokenizer_is_reported(copied: Path) -> None:
    for path in copied.glob("tokenizer*"):
        path.unlink()
    with pytest.raises(GluepotError, match=r"bert has no tokenizer: its files .* are not there"):
        fit(copied)


def test_truncated_weights_are_reported(copied: Path) -> None:
    weights = copied / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    with pytest.raises(GluepotError, match=r"the weights of .* cannot be read"):
        fit(copied)


@pytest.mark.parametrize("task", ["stance-sv", "coreference-eu"])
def test_missing_weights_are_reported_and_not_initialised(task: str, copied: Path) -> None:
    """transformers would initialise them randomly, with a warning at most."""
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 3}))
    with pytest.raises(GluepotError, match=r"do not fit its config\.json: 16 are not there, first: .*layer\.2"):
        fit(copied, task)


def test_new_head_is_not_a_missing_weight(tiny: Tiny, tmp_path: Path) -> None:
    """Covers weights without a pooler and with a head for another number of labels, as in published models."""
    model = transformers.AutoModelForTokenClassification.from_pretrained(tiny("bert"), num_labels=7)
    model.save_pretrained(tmp_path / "tagger")
    transformers.AutoTokenizer.from_pretrained(tiny("bert")).save_pretrained(tmp_path / "tagger")
    for task in ("stance-sv", "entities-da", "word-sense-sv"):
        fit(tmp_path / "tagger", task)


def test_architecture_without_the_head_is_refused(tmp_path: Path) -> None:
    def small(vocab_size: int) -> Any:
        sizes = {"encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2}
        more = {"d_model": 32, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_position_embeddings": 64}
        return transformers.BartConfig(vocab_size=vocab_size, **sizes, **more)

    folder = save(tmp_path / "bart", transformers.BartModel, small)
    with pytest.raises(CannotSolve, match=r"a model of the type 'bart' has no head for this \(tokens\)"):
        fit(folder, "entities-da")


def test_model_that_cannot_run_on_the_tokenizers_output_is_refused(tmp_path: Path) -> None:
    """Covers T5 with a tokenizer that adds no end-of-sequence token, whose position its head reads."""

    def small(vocab_size: int) -> Any:
        return transformers.T5Config(vocab_size=vocab_size, d_model=32, d_kv=16, d_ff=64, num_layers=1, num_heads=2)

    folder = save(tmp_path / "t5", transformers.T5Model, small)
    with pytest.raises(CannotSolve, match="a model of the type 't5' cannot be used like this"):
        fit(folder, "stance-sv")


def test_slow_tokenizer_reads_texts_and_is_refused_where_offsets_are_needed(tmp_path: Path) -> None:
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 128}
    config = transformers.CanineConfig(**sizes, num_hash_buckets=64, num_hash_functions=2, local_transformer_stride=16)
    transformers.CanineModel(config).save_pretrained(tmp_path)
    transformers.CanineTokenizer().save_pretrained(tmp_path)
    fit(tmp_path)
    with pytest.raises(CannotSolve, match="CanineTokenizer is no fast tokenizer"):
        fit(tmp_path, "entities-da")  # other task formats: test_task_formats; each start enumerates a million characters
