"""Identity of models in manifests: fingerprints of their files, and members of ensembles."""

from pathlib import Path

import pytest

from gluepot.cli import main
from gluepot.files import PART, PARTS
from gluepot.models import parse_model
from gluepot.models.names import record_model
from gluepot.runs.prediction.plan import make_plan
from gluepot.runs.storage.fingerprints import model_fingerprint
from gluepot.runs.storage.manifest import make_manifest
from gluepot.tasks.declarations import load_suite


@pytest.mark.parametrize("size", [1000, 3 * PARTS * PART + 1])
def test_fingerprint_changes_when_weights_change_in_place(tmp_path: Path, size: int) -> None:
    def trained(value: int) -> str | None:
        (tmp_path / "config.json").write_text("{}")
        (tmp_path / "model.safetensors").write_bytes(bytes([value]) * size)
        return model_fingerprint(parse_model(f"encoder:{tmp_path}"))

    assert trained(1) == trained(1)
    assert trained(1) != trained(2)


def test_fingerprint_covers_the_end_of_a_large_file(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(bytes(3 * PARTS * PART) + b"a")
    before = model_fingerprint(parse_model(f"encoder:{tmp_path}"))
    weights.write_bytes(bytes(3 * PARTS * PART) + b"b")
    assert model_fingerprint(parse_model(f"encoder:{tmp_path}")) != before


def test_manifest_of_an_ensemble_lists_its_members(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [tmp_path / name for name in ("first", "second")]
    for folder, model in zip(folders, ("majority", "random"), strict=True):
        assert main(["evaluate", model, "pocket/stance-sv", "--out", str(folder)]) == 0
    ensemble = parse_model(f"ensemble:{folders[0]},{folders[1]}")
    suite = load_suite("pocket")
    plan = make_plan(ensemble, suite, tasks=["stance-sv"])
    assert make_manifest(plan, suite, ensemble, plan.protocol, []).identity.members == [
        record_model(parse_model(name)) for name in ("majority", "random")
    ]
