"""Placement of a model over memory and disk, or on several devices, changes no prediction; free memory limits the tokens per pass."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from tests.models.lm.tiny import make_tiny, make_windowed  # noqa: E402

from gluepot.data.examples import load_examples  # noqa: E402
from gluepot.errors import GluepotError, WrongUse  # noqa: E402
from gluepot.models import make_adapter, parse_model  # noqa: E402
from gluepot.models.lm.inference import memory  # noqa: E402
from gluepot.models.lm.inference.memory import BUDGET, GPU_BUDGET, LEAST, choose_budget, pass_bytes  # noqa: E402
from gluepot.models.lm.inference.scoring import PackedScorer, ScoredText, branch  # noqa: E402
from gluepot.models.lm.loading import placement, weights  # noqa: E402
from gluepot.models.lm.loading.placement import Placement, all_devices, spread_out  # noqa: E402
from gluepot.models.lm.loading.weights import load_model  # noqa: E402
from gluepot.models.lm.parallel import ParallelEngine  # noqa: E402
from gluepot.models.pretrained.devices import input_device  # noqa: E402
from gluepot.tasks.declarations import load_suite  # noqa: E402

POCKET = load_suite("pocket")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("tiny"))


def likelihoods(loaded: weights.LoadedModel) -> list[float]:
    rows = [[ScoredText(loaded.encode([f"en början {n} {option}"])[0], 12) for option in ("ja", "nej då")] for n in range(3)]
    return [value for one in PackedScorer(loaded.model).score([branch(one) for one in rows]) for value in one]


@pytest.mark.parametrize("make", [make_tiny, make_windowed])
def test_model_spread_over_memory_and_disk_gives_the_same_likelihoods(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_cache: Path
) -> None:
    whole = load_model(str(make(tmp_path / "model")))
    real = weights.map_settings
    layer = sum(weight.numel() * 4 for weight in whole.model.base_model.layers[0].parameters())
    monkeypatch.setattr(weights, "map_settings", lambda name: {**real(name), "max_memory": {"cpu": 2 * layer}})
    spread = load_model(str(tmp_path / "model"), placement=Placement(device_map="auto"))
    assert {"cpu", "disk"} <= {str(device) for device in spread.model.hf_device_map.values()}
    assert input_device(spread.model) == torch.device("cpu")
    assert likelihoods(spread) == pytest.approx(likelihoods(whole), abs=1e-4)


def test_model_in_memory_can_be_spread(tiny: Path) -> None:
    """As a model from a GGUF file is."""
    whole = load_model(str(tiny))
    before = likelihoods(whole)
    spread = spread_out(whole.model, "auto")
    assert set(spread.hf_device_map.values()) == {"cpu"}
    assert likelihoods(whole) == pytest.approx(before, abs=1e-5)


def test_device_map_and_device_exclude_each_other() -> None:
    with pytest.raises(WrongUse, match="leave out --device"):
        Placement("cpu", "auto")


def test_every_gpu_gets_a_copy_unless_a_device_is_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all_devices("cpu") == [torch.device("cpu")]
    monkeypatch.delenv("GLUEPOT_DEVICE", raising=False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    assert all_devices() == [torch.device("cuda", number) for number in range(3)]
    assert all_devices("cuda") == [torch.device("cuda")]


@pytest.mark.parametrize("name", ["idioms-da", "entities-da", "paraphrase-sv"])
def test_copies_share_the_questions_and_give_the_predictions_of_one(name: str, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two copies on the CPU simulate two GPUs."""
    task = POCKET.tasks[name]
    found = []
    for devices in (["cpu"], ["cpu", "cpu"]):
        weights._kept.cache_clear()
        monkeypatch.setattr(weights, "all_devices", lambda named, own=devices: [torch.device(one) for one in own])
        adapter = make_adapter(parse_model(f"lm:{tiny}", shots=1), 0)
        assert isinstance(adapter.engine, ParallelEngine) is (len(devices) > 1)
        adapter.fit(task, load_examples(task, "train"), [])
        found.append(adapter.predict(task, load_examples(task, "test")[:5]))
    weights._kept.cache_clear()
    alone, shared = found
    assert [one.output for one in shared] == [one.output for one in alone]
    for one, other in zip(alone, shared, strict=True):
        assert other.scores == (None if one.scores is None else pytest.approx(one.scores, abs=1e-5))


def test_tokens_per_pass_follow_the_free_memory(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_model(str(tiny)).model
    assert choose_budget(model) == BUDGET
    for tokens in (512, 128):
        monkeypatch.setattr(memory, "free_bytes", lambda device, own=tokens: pass_bytes(model, own, 100) / memory.SHARE + 1)
        assert choose_budget(model, before=100) == tokens
    monkeypatch.setattr(memory, "free_bytes", lambda device: 0)
    assert choose_budget(model) == LEAST
    monkeypatch.setattr(memory, "free_bytes", lambda device: 10**15)
    monkeypatch.setattr(memory, "input_device", lambda model: SimpleNamespace(type="cuda"))
    assert choose_budget(model) == GPU_BUDGET


@pytest.mark.parametrize(("method", "more"), [("gptq", {"bits": 4}), ("awq", {"bits": 4}), ("no-such", {})])
def test_weights_quantised_for_an_unavailable_library_are_a_one_line_error(method: str, more: dict[str, Any], tmp_path: Path) -> None:
    config = make_tiny(tmp_path) / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "quantization_config": {"quant_method": method, **more}}))
    with pytest.raises(GluepotError) as caught:
        load_model(str(tmp_path))
    assert str(caught.value).startswith(f"lm: the weights of {tmp_path} are quantised ({method}), which does not run here: ")
    assert str(caught.value).endswith(placement.INSTEAD)
    assert "\n" not in str(caught.value)
