"""Likelihoods and generated answers equal those of transformers on single texts, for any types of layers."""

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")

from tests.models.lm.inference.test_output_layer import plainly  # noqa: E402
from tests.models.lm.tiny import save_tokenizer  # noqa: E402

from gluepot.models.lm.inference import packing_trial  # noqa: E402
from gluepot.models.lm.inference.generation import GenerationState, TextGenerator  # noqa: E402
from gluepot.models.lm.inference.memory import choose_budget  # noqa: E402
from gluepot.models.lm.inference.packing import Passes  # noqa: E402
from gluepot.models.lm.inference.scoring import PackedScorer, ScoredText, branch  # noqa: E402
from gluepot.models.lm.loading.weights import LoadedModel, load_model  # noqa: E402

WINDOW, SIZE = 16, 257
SPECIAL = {"vocab_size": SIZE, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0, "initializer_range": 0.3}
SMALL = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 4, "num_attention_heads": 2, "num_key_value_heads": 1}
TEXT = SPECIAL | SMALL | {"head_dim": 16}
LINEAR = {
    f"linear_{name}": value for name, value in (("num_key_heads", 2), ("num_value_heads", 2), ("key_head_dim", 16), ("value_head_dim", 16))
}
EYES = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2, "image_size": 28, "patch_size": 14}
MADE: dict[str, tuple[str, dict[str, Any]]] = {
    "all layers have a window": ("Mistral", TEXT | {"sliding_window": WINDOW}),
    "some have, in a model that sees": (
        "Gemma3",
        {
            "text_config": TEXT | {"sliding_window": WINDOW, "layer_types": ["sliding_attention", "full_attention"] * 2},
            "vision_config": EYES,
            "mm_tokens_per_image": 4,
            "image_token_index": 256,
        },
    ),
    "recurrent": ("Mamba", {**SPECIAL, "hidden_size": 32, "num_hidden_layers": 2, "state_size": 8}),
    "recurrent and attentive": (
        "GraniteMoeHybrid",
        TEXT
        | {"layer_types": ["mamba", "attention"] * 2, "num_local_experts": 0, "shared_intermediate_size": 64, "mamba_n_heads": 4}
        | {"mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1},
    ),
    "linear and attentive": ("Qwen3Next", TEXT | LINEAR | {"layer_types": ["linear_attention", "full_attention"] * 2, "num_experts": 0}),
    "convolutional": ("Lfm2", TEXT | {"layer_types": ["conv", "full_attention"] * 2}),
    "positions by the mask": ("Mpt", {"vocab_size": SIZE, "d_model": 32, "n_heads": 2, "n_layers": 2, "max_seq_len": 512}),
    "a head that asks a part": (
        "OPT",
        {**SPECIAL, **SMALL, "ffn_dim": 64, "word_embed_proj_dim": 32, "max_position_embeddings": 512},
    ),
    "masks as they are": ("Llama", TEXT),
}


def make(family: str, settings: dict[str, Any]) -> Any:
    config = getattr(transformers, f"{family}Config", None)
    if config is None:
        pytest.skip(f"this version of transformers has no {family}")
    torch.manual_seed(0)
    maker = transformers.Gemma3ForConditionalGeneration if family == "Gemma3" else transformers.AutoModelForCausalLM
    model = maker(config(**settings)) if family == "Gemma3" else maker.from_config(config(**settings))
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1 and weight.float().std() < 0.1:
                weight.normal_(0, 0.2)
    return model.eval()


@pytest.fixture(params=MADE, ids=lambda name: str(name).replace(" ", "-"))
def loaded(request: pytest.FixtureRequest, tmp_path: Path) -> LoadedModel:
    save_tokenizer(tmp_path)
    make(*MADE[request.param]).save_pretrained(tmp_path)
    return load_model(str(tmp_path))


def rows() -> list[list[ScoredText]]:
    """Return three questions with a common prefix, longer than a window, and three options each."""
    torch.manual_seed(1)
    head = torch.randint(1, SIZE - 1, (40,)).tolist()
    questions = [head + torch.randint(1, SIZE - 1, (5 + number,)).tolist() for number in range(3)]
    return [[ScoredText(own + torch.randint(1, SIZE - 1, (size,)).tolist(), len(own)) for size in (1, 3, 6)] for own in questions]


def test_likelihoods_and_answers_equal_those_of_transformers(loaded: LoadedModel) -> None:
    asked = rows()
    found = PackedScorer(loaded.model, choose_budget(loaded.model, 60)).score([branch(own) for own in asked])
    assert [value for own in found for value in own] == pytest.approx(
        [plainly(loaded.model, row) for own in asked for row in own], abs=1e-3
    )
    writings = [GenerationState(own[0].ids[:-1], 8) for own in asked]
    TextGenerator(loaded).run(writings)
    for one in writings:
        whole = loaded.model.generate(torch.tensor([one.ids]), max_new_tokens=8, do_sample=False, pad_token_id=0)
        written = whole[0, len(one.ids) :].tolist()
        assert one.written == (written[: written.index(0)] if 0 in written else written)


def test_model_is_tried_once_and_separate_passes_are_reported(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = make(*MADE["recurrent"])
    assert [Passes(model).separate is not None for _ in range(2)] == [True, True]
    assert capsys.readouterr().err.count("'mamba' are run one by one") == 1
    assert Passes(make(*MADE["masks as they are"])).separate is None
    assert not capsys.readouterr().err
    monkeypatch.setattr(packing_trial, "_agrees", lambda passes: pytest.fail("its kind was tried before"))
    assert Passes(make(*MADE["recurrent"])).separate is not None
    assert Passes(make(*MADE["masks as they are"])).separate is None
    assert len(list(own_cache.glob("packing/*"))) == 1, "of layers that are known to carry states on, nothing is tried"
