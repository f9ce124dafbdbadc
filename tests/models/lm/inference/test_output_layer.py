"""Output layer: logits and likelihoods equal those of the model itself, for each family and with packed weights."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")

from gluepot.models.lm.inference import output_layer  # noqa: E402
from gluepot.models.lm.inference.output_layer import OutputLayer  # noqa: E402
from gluepot.models.lm.inference.scoring import PackedScorer, ScoredText, branch  # noqa: E402
from gluepot.models.pretrained import packed_weights  # noqa: E402

WORDS = 97
SIZES = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1}
MADE: dict[str, dict[str, Any]] = {
    "Llama": SIZES,
    "Qwen2": SIZES,
    "Mistral": SIZES,
    "Gemma": SIZES | {"head_dim": 16},
    "Gemma2": SIZES | {"head_dim": 16, "final_logit_softcapping": 2.0},
    "Granite": SIZES | {"logits_scaling": 0.25},
    "Cohere": SIZES | {"logit_scale": 3.0},
    "Phi": SIZES | {"num_key_value_heads": 2},
    "GPT2": {"n_embd": 32, "n_layer": 2, "n_head": 2},
    "GPTNeoX": {name: value for name, value in SIZES.items() if name != "num_key_value_heads"},
}
BEHIND = {"Gemma2", "Granite", "Cohere"}
"""Families that transform their logits."""


def make_random(family: str) -> Any:
    torch.manual_seed(0)
    special = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0, "initializer_range": 0.3}
    config = getattr(transformers, f"{family}Config")(vocab_size=WORDS, **special, **MADE[family])
    return transformers.AutoModelForCausalLM.from_config(config).eval()


def rows() -> list[list[ScoredText]]:
    """Return three questions with a common prefix and three options each."""
    torch.manual_seed(1)
    head = torch.randint(1, WORDS, (20,)).tolist()
    questions = [head + torch.randint(1, WORDS, (5 + number,)).tolist() for number in range(3)]
    return [[ScoredText(own + torch.randint(1, WORDS, (size,)).tolist(), len(own)) for size in (1, 3, 6)] for own in questions]


def plainly(model: Any, row: ScoredText) -> float:
    with torch.inference_mode():
        logs = model(torch.tensor([row.ids])).logits[0].float().log_softmax(-1)
    return sum(float(logs[place - 1, row.ids[place]]) for place in range(row.start, len(row.ids)))


@pytest.fixture(params=[True, False], ids=["packed", "as they are"])
def packing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if request.param and not packed_weights.can_pack(torch.float32):
        pytest.skip("needs a torch with oneDNN on an x86 processor")
    if not request.param:
        monkeypatch.setattr(packed_weights, "can_pack", lambda dtype: False)
    return bool(request.param)


@pytest.mark.parametrize("family", MADE)
def test_likelihoods_equal_those_of_the_models_own_logits(family: str, packing: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_layer, "SLICE", 40)
    model = make_random(family)
    found = PackedScorer(model).score([branch(own) for own in rows()])
    wanted = [plainly(model, row) for own in rows() for row in own]
    assert [value for own in found for value in own] == pytest.approx(wanted, abs=2e-4)


@pytest.mark.parametrize("family", MADE)
def test_transformation_of_logits_is_detected(family: str) -> None:
    model = make_random(family)
    assert OutputLayer(model).plain == (family not in BEHIND)
    assert "forward" not in vars(model.base_model)


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
@pytest.mark.parametrize("family", ["Llama", "Gemma2", "Granite"])
def test_transformation_of_logits_is_detected_in_half_precision(family: str, precision: str) -> None:
    assert OutputLayer(make_random(family).to(getattr(torch, precision))).plain == (family not in BEHIND)


@pytest.mark.parametrize("words", [1, 40, 1000])
def test_sums_over_slices_equal_those_over_the_whole_vocabulary(words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_layer, "SLICE", words)
    model = make_random("Phi")  # its output layer has a bias
    torch.nn.init.normal_(model.lm_head.bias)
    states, rows, tokens = 9 * torch.randn(4, 32), torch.tensor([0, 3, 3, 1]), torch.tensor([0, 39, 40, 96])
    with torch.inference_mode():
        found = OutputLayer(model).log_likelihoods(states, rows, tokens)
        wanted = model.lm_head(states).log_softmax(-1)[rows, tokens]
    assert found.tolist() == pytest.approx(wanted.tolist(), abs=1e-4)


def test_weights_are_packed_once_and_for_every_scorer(packing: bool) -> None:
    model = make_random("Llama")
    first, second = PackedScorer(model), PackedScorer(model)
    for packed in (first, second, first):
        packed.score([branch(own) for own in rows()])
    assert ("forward" in vars(model.model.layers[0].mlp)) == packing
    assert not any("forward" in vars(part) for part in model.model.layers[0].mlp.children())
    assert bool(first.passes.output.packed) == packing
    assert first.passes.output.packed is second.passes.output.packed or not packing


@pytest.mark.parametrize("family", ["Llama", "Phi", "Gemma2"])
def test_packed_logits_equal_the_models_own(family: str) -> None:
    model, states = make_random(family), torch.randn(3, 32)
    output = OutputLayer(model)
    with torch.inference_mode():
        before = output.logits(states)
        output.pack(torch.float32, 3)
        assert output.logits(states).numpy() == pytest.approx(before.numpy(), abs=1e-4)


def test_weights_are_not_packed_without_memory_for_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gluepot.models.lm.inference.memory.free_bytes", lambda device: 1000)
    monkeypatch.setattr(packed_weights, "_packed", lambda *given: pytest.fail("weights were copied"))
    PackedScorer(make_random("Llama")).score([branch(own) for own in rows()])
