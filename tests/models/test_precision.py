"""Choice of precision: a trial that dies, hangs or gives wrong numbers means fp32 with the reason, and results are cached."""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gluepot.errors import WrongUse
from gluepot.models import parse_model, precision, precision_probe
from gluepot.models.precision import PrecisionChoice, choose, common_choice, resolve_precision

BEGUN = 'import os, signal, sys, time\nprint(\'{"precision": "bf16", "device": "cpu"}\', flush=True)\n'
ANSWER = BEGUN + 'print(\'{"precision": "%s", "error": %s, "gain": %s}\')\n'
Play = Callable[[str], Path]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Function that replaces the trial by a program, and returns the file that counts its starts."""
    starts = tmp_path / "starts"

    def begin(program: str) -> Path:
        (tmp_path / "child.py").write_text(f"open({str(starts)!r}, 'a').write('x')\n{program}")
        monkeypatch.setattr(precision_probe, "PROGRAM", (sys.executable, str(tmp_path / "child.py")))
        precision_probe._once.cache_clear()
        return starts

    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(precision, "torch_version", lambda: "2.0")
    monkeypatch.setattr(precision_probe, "torch_version", lambda: "2.0")
    yield begin  # type: ignore[misc]
    precision_probe._once.cache_clear()


def dying(name: str) -> str:
    return BEGUN + f"os.kill(os.getpid(), signal.{name})\n"


def test_trial_that_dies_of_an_illegal_instruction_means_fp32_and_names_the_signal(play: Play) -> None:
    starts = play(dying("SIGILL"))
    assert choose() == PrecisionChoice("fp32", "bf16 tried: died of SIGILL (illegal instruction), so fp32")
    precision_probe._once.cache_clear()  # as in another process
    assert choose().precision == "fp32"
    assert precision_probe.is_known("bf16")
    assert starts.read_text() == "x"
    with pytest.raises(
        WrongUse, match=r"bf16 does not work here \(tried: died of SIGILL \(illegal instruction\)\)\. Take --precision fp32"
    ):
        choose("bf16")


def test_precision_is_tried_on_the_requested_device(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine with a GPU, a trial on the GPU says nothing about the CPU."""
    monkeypatch.setattr(precision, "choose_device", lambda named: named)
    monkeypatch.delenv("GLUEPOT_DEVICE", raising=False)
    seen = tmp_path / "seen"
    play(f"import os\nopen({str(seen)!r}, 'a').write(os.environ.get('GLUEPOT_DEVICE', 'auto') + ' ')\n" + ANSWER % ("bf16", 0.004, 2))
    for device in (None, "cpu", "cuda", "cpu"):
        resolve_precision(parse_model("encoder:x", device=device))
    assert seen.read_text() == "auto cpu cuda ", "once each"
    assert not precision_probe.is_known("auto", "mps")


def test_unavailable_device_is_refused_before_any_trial(play: Play) -> None:
    torch = pytest.importorskip("torch")
    if torch.backends.mps.is_available():
        pytest.skip("it is here")
    starts = play(ANSWER % ("bf16", 0.004, 2))
    with pytest.raises(WrongUse, match="--device mps: torch finds no such device here"):
        resolve_precision(parse_model("encoder:x", device="mps"))
    assert not starts.exists()


def test_trial_that_hangs_means_fp32(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision_probe, "PATIENCE", 1.5)
    play(BEGUN + "time.sleep(600)\n")
    assert choose() == PrecisionChoice("fp32", "bf16 tried: no answer in 1.5 s, so fp32")


@pytest.mark.parametrize(
    ("error", "why"), [("0.3", "its results are 30% off"), ("null", "its results are no numbers"), ("0.06", "its results are 6% off")]
)
def test_inaccurate_trial_means_fp32_however_fast_it_is(play: Play, error: str, why: str) -> None:
    play(ANSWER % ("bf16", error, 9.0))
    assert choose() == PrecisionChoice("fp32", f"bf16 tried: {why}, so fp32")


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (BEGUN, "no answer, exit code 0"),
        (BEGUN + "print('fine, all is well')\n", "no answer, exit code 0"),
        (BEGUN + "sys.exit('could not create a primitive')\n", "could not create a primitive"),
        (BEGUN + 'print(\'{"precision": "bf16", "error": NaN, "gain": 2}\')\n', "no answer, exit code 0"),
    ],
)
def test_invalid_trial_output_means_fp32_and_is_not_cached(play: Play, program: str, why: str) -> None:
    starts = play(program)
    assert choose() == PrecisionChoice("fp32", f"bf16 tried: {why}, so fp32")
    precision_probe._once.cache_clear()
    choose()
    assert starts.read_text() == "xx"


def test_killed_trial_is_not_cached(play: Play) -> None:
    starts = play(dying("SIGKILL"))
    assert choose().reason == "bf16 tried: died of SIGKILL (killed), so fp32"
    precision_probe._once.cache_clear()
    choose()
    assert starts.read_text() == "xx"


@pytest.mark.parametrize(("gain", "expected"), [(0.05, "fp32"), (1.1, "fp32"), (2.5, "bf16"), ("null", "bf16")])
def test_half_precision_is_chosen_where_it_pays(play: Play, gain: float, expected: str) -> None:
    play(ANSWER % ("bf16", 0.002, gain))
    assert choose().precision == expected
    assert choose("bf16") == PrecisionChoice("bf16", "as asked for")


def test_trial_is_cached_by_processor_kernel_torch_version_and_switches(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = play(ANSWER % ("bf16", 0.002, 2.0))

    def changed(count: int) -> None:
        precision_probe._once.cache_clear()
        assert choose().precision == "bf16"
        assert len(starts.read_text()) == count

    changed(1)
    changed(1)
    monkeypatch.setattr(precision_probe, "torch_version", lambda: "2.1")
    changed(2)
    monkeypatch.setattr(precision_probe, "_processor", lambda: "another")
    changed(3)
    monkeypatch.setattr("platform.release", lambda: "7.0")
    changed(4)
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")
    changed(5)
    changed(5)
    kept = [json.loads(path.read_text()) for path in (Path(os.environ["GLUEPOT_CACHE"]) / "precision").glob("*.json")]
    assert len(kept) == 2 * 5  # under the requested precision, and under the one that was tried
    assert "ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16" in {word for one in kept for word in one["machine"]["environment"].split()}


def test_damaged_or_unwritable_cache_is_ignored(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = play(ANSWER % ("bf16", 0.002, 2.0))
    choose()
    for path in (tmp_path / "cache" / "precision").iterdir():
        path.write_text('{"trial": {')
    precision_probe._once.cache_clear()
    assert choose().precision == "bf16"
    (tmp_path / "file").touch()
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "file"))
    precision_probe._once.cache_clear()
    assert choose().precision == "bf16"
    assert starts.read_text() == "xxx"


def test_failed_precision_is_tried_again_on_request(play: Play) -> None:
    play(dying("SIGILL"))
    with pytest.raises(WrongUse):
        choose("bf16")
    play(ANSWER % ("bf16", 0.002, 0.5))
    assert choose("bf16").precision == "bf16"


def test_fp32_is_never_tried(play: Play) -> None:
    starts = play(dying("SIGILL"))
    assert choose("fp32").precision == "fp32"
    assert not starts.exists()


def test_without_torch_nothing_is_tried(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = play(dying("SIGILL"))
    monkeypatch.setattr(precision, "torch_version", lambda: "")
    assert choose().precision == "fp32"
    assert not starts.exists()


def test_cluster_of_different_machines_uses_fp32() -> None:
    can, cannot = (
        PrecisionChoice("bf16", "bf16 tried: right"),
        PrecisionChoice("fp32", "bf16 tried: died of SIGILL (illegal instruction), so fp32"),
    )
    assert common_choice([can, can]) == can
    assert common_choice([can, cannot, can]) == PrecisionChoice("fp32", f"the machines of the cluster differ: {cannot.reason}")
    assert common_choice([can, PrecisionChoice("fp16", "fp16 tried: right")]).precision == "fp32"


def test_resumed_run_keeps_its_precision() -> None:
    model, named = parse_model("encoder:x"), parse_model("encoder:x", precision="fp16")
    bf16, fp32 = (parse_model("encoder:x", precision=one) for one in ("bf16", "fp32"))
    assert resolve_precision(model, None, lambda wanted, device: PrecisionChoice("bf16", wanted)) == (bf16, "auto")
    assert resolve_precision(model, "fp32", lambda wanted, device: PrecisionChoice(wanted, "")) == (fp32, "as before")
    assert resolve_precision(named, "fp32", lambda wanted, device: PrecisionChoice(wanted, "")) == (named, "")

    def refuse(wanted: str, device: str) -> PrecisionChoice:
        raise precision.UnsupportedPrecisionError(wanted, "died of SIGILL (illegal instruction)")

    with pytest.raises(WrongUse, match=r"this run is in bf16, and bf16 does not work here .*SIGILL.*Go on where it was begun"):
        resolve_precision(model, "bf16", refuse)


def test_precision_is_not_part_of_the_model_name() -> None:
    assert str(parse_model("encoder:x", precision="bf16")) == "encoder:x"
    assert resolve_precision(parse_model("majority"), "bf16") == (parse_model("majority"), "")
    with pytest.raises(WrongUse, match="majority takes no --precision"):
        parse_model("majority", precision="fp32")


def test_a_language_model_computes_in_fp32_unless_there_is_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    for gpu, expected in (("", "fp32"), ("NVIDIA A100", "auto")):
        monkeypatch.setattr(precision, "accelerators", lambda gpu=gpu: gpu)
        model, _ = resolve_precision(parse_model("lm:x"))
        assert dict(model.settings) == {"precision": expected}


NAMED = {"models/settings.py", "models/pretrained/packed_weights.py"}
"""Modules that only name it: as the value of an option, and to test whether the CPU supports a type chosen elsewhere."""


def test_only_three_modules_switch_to_half_precision() -> None:
    """Encoders compute in it and language models are loaded in it, here or by vLLM; `choose` decides for all of them."""
    package = Path(precision.__file__).parents[1]
    doors = {path.relative_to(package).as_posix() for path in package.rglob("*.py") if {"bfloat16", "autocast("} & words_of(path)}
    assert doors - NAMED == {"models/encoder/execution/devices.py", "models/lm/loading/weights.py", "models/lm/vllm.py"}


def words_of(path: Path) -> set[str]:
    return set(re.findall(r"bfloat16|autocast\(", path.read_text(encoding="utf-8")))
