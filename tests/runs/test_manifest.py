"""What a run vouches for: the model's own bytes."""

from pathlib import Path

import pytest

from gluepot.models import parse_model
from gluepot.runs.manifest import PART, PARTS, model_fingerprint


@pytest.mark.parametrize("size", [1000, 3 * PARTS * PART + 1])
def test_a_model_that_was_trained_on_in_place_is_another_one(tmp_path: Path, size: int) -> None:
    def trained(value: int) -> str | None:
        (tmp_path / "config.json").write_text("{}")
        (tmp_path / "model.safetensors").write_bytes(bytes([value]) * size)
        return model_fingerprint(parse_model(f"encoder:{tmp_path}"))

    assert trained(1) == trained(1)
    assert trained(1) != trained(2)


def test_the_end_of_a_large_file_counts(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(bytes(3 * PARTS * PART) + b"a")
    before = model_fingerprint(parse_model(f"encoder:{tmp_path}"))
    weights.write_bytes(bytes(3 * PARTS * PART) + b"b")
    assert model_fingerprint(parse_model(f"encoder:{tmp_path}")) != before
