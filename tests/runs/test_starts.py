"""Start of a run: failed starts do not block, `~` is expanded, the machine is recorded, and `redo` reports what differs."""

import json
from pathlib import Path

import pytest

from gluepot.cli import main
from gluepot.errors import WrongUse
from gluepot.models import parse_model
from gluepot.models.protocols import Settings
from gluepot.runs.prediction.model_selection.search import Training
from gluepot.runs.storage.fingerprints import model_fingerprint
from gluepot.runs.storage.manifest import cpu_model


def words(model: str, out: Path) -> list[str]:
    return ["evaluate", model, "pocket/paraphrase-sv", "--out", str(out), "--resamples", "50", "--json"]


def test_a_failed_start_does_not_block_the_next_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken, right = tmp_path / "broken.vec", tmp_path / "right.vec"
    broken.write_text("not a vector at all\n")
    right.write_text("2 2\nhund 1.0 0.5\nkatt 0.5 1.0\n")
    assert main(words(f"vectors:{broken}", tmp_path / "run")) != 0
    assert (tmp_path / "run" / "manifest.json").is_file()
    assert main(words(f"vectors:{right}", tmp_path / "run")) == 0
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["identity"]["model"]["argument"] == str(right)
    capsys.readouterr()
    assert main(words("majority", tmp_path / "run")) == WrongUse.exit_code
    assert "this run was made with something else" in capsys.readouterr().err


def test_a_tilde_is_expanded_to_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "own.vec").write_text("2 2\nhund 1.0 0.5\nkatt 0.5 1.0\n")
    assert model_fingerprint(parse_model("vectors:~/own.vec")) == model_fingerprint(parse_model(f"vectors:{tmp_path}/own.vec")) is not None
    assert main(words("majority", tmp_path / "run")) == 0
    assert main(["evaluate", "predictions:~/run", "pocket/paraphrase-sv", f"--out={'~/again'}", "--resamples", "50", "--json"]) == 0
    assert (tmp_path / "again" / "manifest.json").is_file()


def test_output_names_the_model_without_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.vec").write_text("2 2\nhund 1.0 0.5\nkatt 0.5 1.0\n")
    assert main([*words(f"vectors:{tmp_path}/own.vec", tmp_path / "run")[:-1]]) == 0
    shown = capsys.readouterr().out
    assert "vectors:own.vec on pocket" in shown
    assert str(tmp_path / "own.vec") not in shown


def test_redo_reports_a_changed_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("random", tmp_path / "run")) == 0
    path = tmp_path / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    assert manifest["machine"]["cpu"] == cpu_model() != ""
    manifest["machine"]["cpu"] = "Another Processor"
    path.write_text(json.dumps(manifest))
    answers = tmp_path / "run" / "predictions" / "seed-0" / "paraphrase-sv" / "test.jsonl"
    first, *rest = map(json.loads, answers.read_text().splitlines())
    labels = {row["prediction"] for row in rest}
    first["prediction"] = next(label for label in labels if label != first["prediction"])
    answers.write_text("".join(f"{json.dumps(row)}\n" for row in (first, *rest)))
    capsys.readouterr()
    assert main(["redo", str(tmp_path / "run")]) == 1
    assert f"machine.cpu: Another Processor → {cpu_model()}" in " ".join(capsys.readouterr().out.split())
    assert main(["redo", str(tmp_path / "run"), "--json"]) == 1
    assert any(change.startswith("machine.cpu") for change in json.loads(capsys.readouterr().out)["changed"])


def test_reports_the_learning_rate_that_was_used() -> None:
    """A narrow model is trained at a higher rate than the protocol's figure for a wide one."""
    told = Training("s/t", 0, Settings(by_width=True), {"learning_rate": 1e-4})
    assert str(told.used) == "learning rate 0.0001, batch 16"
    assert str(Training("s/t", 0, Settings(), {}).used) == "learning rate 5e-05, batch 16"
