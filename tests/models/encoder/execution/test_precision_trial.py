"""Subprocess that tries half precision: its candidate per device, and the detection of wrong numbers."""

import subprocess
import sys
from typing import Any

import pytest
import torch
from msgspec import json

from gluepot.models.encoder.execution import precision_trial
from gluepot.models.encoder.execution.precision_trial import SHAPES, PrecisionProbe, candidate_for, largest_error, measured_gain
from gluepot.models.precision import FARTHEST
from gluepot.models.precision_probe import PrecisionTrial, get_trial

CPU = torch.device("cpu")


def test_trial_prints_its_precision_before_the_result() -> None:
    """Runs in a subprocess, which may crash on this machine."""
    child = subprocess.run([*trials_program(), "auto"], capture_output=True, text=True)
    begun, *ended = [json.decode(line, type=PrecisionTrial) for line in child.stdout.splitlines()]
    assert begun.device == "cpu" or torch.cuda.is_available()
    assert begun.precision in ("bf16", "fp16", "fp32")
    assert child.returncode < 0 or ended[-1].precision == begun.precision


def trials_program() -> tuple[str, ...]:
    return (sys.executable, "-m", "gluepot.models.encoder.execution.precision_trial")


def test_fp32_equals_itself_and_a_wrong_product_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision_trial, "DTYPES", {"fp32": torch.float32})
    assert largest_error(PrecisionProbe(CPU, *SHAPES[0]), "fp32") < 1e-6
    linear = torch.nn.functional.linear
    calls = iter(range(10_000))

    def lying(*values: Any) -> Any:
        return linear(*values) * (1.0 if next(calls) < 20 else -0.5)

    monkeypatch.setattr(torch.nn.functional, "linear", lying)
    assert largest_error(PrecisionProbe(CPU, *SHAPES[0]), "fp32") > FARTHEST


def test_half_precision_has_a_small_error_where_it_works() -> None:
    found = get_trial("bf16")
    if found.failed:
        pytest.skip(f"bf16 {found.failed}")
    assert found.error is not None
    assert 0.0005 < found.error < FARTHEST / 2


def test_distance_to_nan_is_infinite() -> None:
    ones = torch.ones(3)
    assert precision_trial.distance(ones, ones * float("nan")) == float("inf")


def test_much_slower_precision_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []

    def seconds(probe: PrecisionProbe, precision: str) -> float:
        taken.append(precision)
        return 1.0 if precision == "fp32" else 20.0

    monkeypatch.setattr(precision_trial, "seconds", seconds)
    assert measured_gain(CPU, "bf16") == 0.05
    assert taken == ["fp32", "bf16"]


def test_candidate_on_a_gpu_depends_on_its_capability(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLUEPOT_NO_BF16", raising=False)
    gpu = torch.device("cuda")
    for has, capability, expected in ((True, (8, 0), "bf16"), (False, (7, 5), "fp16"), (False, (6, 1), "fp32")):
        monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda has=has, **_: has)
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device, capability=capability: capability)
        assert candidate_for(gpu, "auto")[0] == expected
    assert candidate_for(CPU, "auto") == ("bf16", "")
    assert candidate_for(torch.device("mps"), "auto")[0] == "fp32"


def test_bf16_can_be_disabled_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUEPOT_NO_BF16", "1")
    assert candidate_for(CPU, "auto") == ("fp32", "bf16 refused by GLUEPOT_NO_BF16, so fp32")
    assert candidate_for(CPU, "bf16") == ("bf16", "refused by GLUEPOT_NO_BF16")
    assert candidate_for(CPU, "fp16") == ("fp16", "")
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (8, 0))
    assert candidate_for(torch.device("cuda"), "auto")[0] == "fp16"
