"""`lm:BASE+ADAPTER`: a PEFT adapter is merged into its base; a mismatched or missing one is a one-line error."""

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")
peft = pytest.importorskip("peft", reason="needs PEFT: pip install 'gluepot[torch]'")

from tests.models.lm.tiny import make_tiny  # noqa: E402

from gluepot.cli import main  # noqa: E402
from gluepot.errors import GluepotError  # noqa: E402
from gluepot.models import parse_model  # noqa: E402
from gluepot.models.lm.loading.weights import load_model  # noqa: E402
from gluepot.models.names import display_name, record_model  # noqa: E402
from gluepot.models.pretrained import PretrainedSource, find_source, hub  # noqa: E402
from gluepot.runs.storage.fingerprints import model_fingerprint  # noqa: E402


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("base"))


def make_adapter(base: Path, folder: Path, **more: Any) -> Path:
    """Save a random adapter for a base model."""
    from transformers import AutoModelForCausalLM

    torch.manual_seed(3)
    config = peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False, task_type="CAUSAL_LM", **more)
    peft.get_peft_model(AutoModelForCausalLM.from_pretrained(base), config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def upon(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_adapter(base, tmp_path_factory.mktemp("adapter"))


def logits(model: Any) -> Any:
    with torch.inference_mode():
        return model(torch.tensor([[5, 9, 40, 3]])).logits


def test_merged_model_equals_base_with_adapter(base: Path, upon: Path) -> None:
    from transformers import AutoModelForCausalLM

    together = peft.PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base), upon)
    found = load_model(f"{base}+{upon}").model
    assert not isinstance(found, peft.PeftModel)
    assert logits(found).numpy() == pytest.approx(logits(together).numpy(), abs=1e-5)
    assert not torch.allclose(logits(found), logits(load_model(str(base)).model), atol=1e-3)


def test_mismatched_or_unmergeable_adapter_is_refused(base: Path, upon: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    fewer = make_adapter(base, tmp_path / "fewer", layers_to_transform=[0])
    config = json.loads((fewer / "adapter_config.json").read_text())
    (fewer / "adapter_config.json").write_text(json.dumps({**config, "layers_to_transform": None}))
    with pytest.raises(GluepotError, match=r"was made for another model: 4 weights too many or too few, first: .*layers\.1\."):
        load_model(f"{base}+{fewer}")
    wide = make_adapter(base, tmp_path / "wide")
    weights = load_file(wide / "adapter_model.safetensors")
    save_file({name: torch.zeros(2, 2) for name in weights}, wide / "adapter_model.safetensors")
    with pytest.raises(GluepotError, match=r"lm: the adapter .* cannot be put upon this model: "):
        load_model(f"{base}+{wide}")
    (wide / "adapter_config.json").write_text(json.dumps({"peft_type": "PROMPT_TUNING", "num_virtual_tokens": 3}))
    with pytest.raises(GluepotError, match="PROMPT_TUNING, which cannot be merged"):
        load_model(f"{base}+{wide}")


def test_run_with_an_adapter_records_both_names_and_their_fingerprint(
    base: Path, upon: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    model = f"lm:{base}+{upon}"
    assert main(["evaluate", model, "pocket/stance-sv", "--limit", "3", "--shots", "0", "--out", str(out), "--json"]) == 0
    identity = json.loads((out / "manifest.json").read_text())["identity"]
    assert identity["model"]["argument"] == f"{base}+{upon}"
    assert identity["model_fingerprint"] == model_fingerprint(parse_model(model)) != model_fingerprint(parse_model(f"lm:{base}"))
    assert display_name(record_model(parse_model(model))) == f"lm:{base.name}+{upon.name}"
    capsys.readouterr()
    assert main(["evaluate", f"lm:{base}+{tmp_path}", "pocket/stance-sv", "--out", str(tmp_path / "no")]) == 1
    assert f"{tmp_path} has no adapter_config.json, so it is no PEFT adapter." in capsys.readouterr().err


def test_each_part_on_the_hub_is_pinned_to_its_commit(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def find_commit(adapter: str, name: str, revision: str | None, file: str) -> str:
        asked.append((name, revision, file))
        return name[-1] * 4

    monkeypatch.setattr(hub, "find_commit", find_commit)
    settled = hub.resolve_commit(parse_model("lm:org/a+org/b", revision="v1"))
    assert asked == [("org/a", "v1", "config.json"), ("org/b", None, "adapter_config.json")]
    commit = dict(settled.settings)["commit"]
    assert commit == "aaaa+bbbb"
    assert find_source("org/a+org/b", str(commit)) == PretrainedSource("org/a", "aaaa", adapter=PretrainedSource("org/b", "bbbb"))
    mixed = hub.resolve_commit(parse_model(f"lm:{base}+org/b"))
    assert dict(mixed.settings)["commit"] == "+bbbb"


def test_existing_path_with_a_plus_is_one_model(base: Path, tmp_path: Path) -> None:
    place = tmp_path / "two+two"
    place.symlink_to(base)
    assert find_source(str(place)) == PretrainedSource(str(place))
    assert load_model(str(place)).longest == 4096
