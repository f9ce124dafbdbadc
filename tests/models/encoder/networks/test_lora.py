"""`--adapter lora`: adapters and head are trained, pretrained weights stay bit-identical, and the saved state is small."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("peft", reason="needs PEFT: pip install 'gluepot[torch]'")

from safetensors.torch import load_file

from gluepot.data.examples import load_examples
from gluepot.errors import WrongUse
from gluepot.models import make_adapter, parse_model
from gluepot.models.encoder.networks.lora import RATE, learned_weights, load_learned
from gluepot.models.protocols import Settings
from gluepot.records import Example
from gluepot.runs.prediction.resuming import validate_predictions
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket").tasks
SETTINGS = Settings(batch_size=4, epochs=2, learning_rate=1e-3)
Tiny = Callable[[str], str]


def trained(place: str, name: str = "stance-sv", **told: Any) -> Any:
    model = parse_model(f"encoder:{place}", precision="fp32", device="cpu", adapter="lora", **told)
    adapter = make_adapter(model, 0, SETTINGS)
    adapter.fit(POCKET[name], load_examples(POCKET[name], "train")[:12], load_examples(POCKET[name], "dev")[:4])
    return adapter


def frozen(adapter: Any) -> dict[str, Any]:
    """Return the pretrained weights by their names in the file."""
    net = adapter.runner.net
    body = dict(net.model.base_model.named_parameters())
    return {name.replace(".base_layer", ""): weight for name, weight in body.items() if not weight.requires_grad}


@pytest.mark.parametrize(("architecture", "name"), [("bert", "stance-sv"), ("bert", "coreference-eu"), ("roberta", "questions-da"),
    ("deberta-v2", "entities-da"), ("modernbert", "stance-sv"), ("t5", "coreference-eu")])  # fmt: skip
def test_only_adapters_and_head_learn(architecture: str, name: str, tiny: Tiny) -> None:
    adapter = trained(tiny(architecture), name, lora_rank=2)
    items = load_examples(POCKET[name], "test")[:4]
    assert len(validate_predictions(POCKET[name], items, adapter.predict(POCKET[name], items))) == 4
    before = load_file(Path(tiny(architecture)) / "model.safetensors")
    kept = frozen(adapter)
    same = [name for name, weight in kept.items() if name in before and bool((weight == before[name]).all())]
    assert len(same) == len(set(kept) & set(before)) > 10
    record = adapter.trained
    assert 0 < record.learning_parameters < record.parameters / 2
    grown = [name for name, weight in adapter.runner.net.named_parameters() if "lora_B" in name and bool(weight.abs().sum() > 0)]
    assert len(grown) >= 8
    assert record.learning_rate == pytest.approx(RATE * SETTINGS.learning_rate)


def test_larger_rank_has_more_trainable_parameters_and_another_name(tiny: Tiny) -> None:
    counts = [trained(tiny("bert"), lora_rank=rank).trained.learning_parameters for rank in (1, 4)]
    assert counts[0] < counts[1]
    names = {str(parse_model("encoder:./bert", adapter="lora", lora_rank=rank)) for rank in (1, 4)}
    assert names == {"encoder:./bert --adapter lora --lora-rank 1", "encoder:./bert --adapter lora --lora-rank 4"}
    with pytest.raises(WrongUse, match="--lora-rank goes with --adapter lora"):
        make_adapter(parse_model(f"encoder:{tiny('bert')}", lora_rank=4), 0, SETTINGS)


def test_saved_adapter_is_small_and_gives_the_same_predictions(tiny: Tiny, tmp_path: Path) -> None:
    adapter = trained(tiny("bert"))
    items = load_examples(POCKET["stance-sv"], "test")[:6]
    before = adapter.predict(POCKET["stance-sv"], items)
    adapter.save(tmp_path)
    kept = load_file(tmp_path / "model.safetensors")
    assert set(kept) == set(learned_weights(adapter.runner.net))
    assert not any("base_layer" in name for name in kept)
    again = make_adapter(parse_model(f"encoder:{tiny('bert')}", precision="fp32", device="cpu", adapter="lora"), 0, SETTINGS)
    assert again.load(POCKET["stance-sv"], tmp_path)
    assert again.predict(POCKET["stance-sv"], items) == before
    other = dict(kept)
    other.pop(min(kept))
    with pytest.raises(RuntimeError, match="another net"):
        load_learned(again.runner.net, other)


def test_adapters_learn(tiny: Tiny) -> None:
    """The loss on easily separable texts falls within twelve epochs of three steps."""
    task = POCKET["stance-sv"]
    items = [Example(str(n), {"text": f"{'abc'[n % 3] * 3} " * (3 + n % 2)}, task.labels[n % 3]) for n in range(12)]
    model = parse_model(f"encoder:{tiny('bert')}", precision="fp32", device="cpu", adapter="lora")
    adapter = make_adapter(model, 0, Settings(batch_size=4, epochs=12, learning_rate=1e-3, select="last"))
    adapter.fit(task, items, [])
    losses = [look.train_loss for look in adapter.trained.looks]
    assert losses[-1] < 0.67 * losses[0]
