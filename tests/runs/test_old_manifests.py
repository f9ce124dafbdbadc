"""Runs of earlier versions, whose manifest has the model as a string, remain readable; a name cannot contradict its record."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.runs.tampering import edit, make

from gluepot.cli import main
from gluepot.models.names import ModelRecord
from gluepot.runs.scores.rescoring import rescore
from gluepot.runs.storage.manifest import read_manifest
from gluepot.runs.storage.old_manifests import record_of
from gluepot.runs.storage.store import RunFolder


@pytest.mark.parametrize(
    ("text", "adapter", "argument", "settings"),
    [
        ("tfidf-svm", "tfidf-svm", "", {}),
        ("encoder:KB/bert-base-swedish-cased", "encoder", "KB/bert-base-swedish-cased", {}),
        ("lm:org/model --shots 5 --wording 2", "lm", "org/model", {"shots": 5, "prompt": 2}),
        ("api:m@https://h/v1 --shots 0 --answers text", "api", "m@https://h/v1", {"shots": 0, "answers": "text"}),
        ("command:./solve.py --shots 5", "command", "./solve.py --shots 5", {}),
        ("never-heard-of:x", "never-heard-of:x", "", {}),
        ("lm:org/model --ledger /etc/x", "lm:org/model --ledger /etc/x", "", {}),
        ("lm:org/model --shots many", "lm:org/model --shots many", "", {}),
    ],
)
def test_a_model_string_is_parsed_and_remains_the_name(text: str, adapter: str, argument: str, settings: dict[str, Any]) -> None:
    assert record_of(text) == ModelRecord(adapter, argument, settings, text)


def set_model(run: Path, model: Any) -> Path:
    edit(run / "manifest.json", lambda manifest: manifest["identity"].update(model=model))
    return run


def test_an_old_run_keeps_its_scores_and_provenance(tmp_path: Path) -> None:
    run = make(tmp_path / "run")
    stored = json.loads((run / "scores.json").read_text())
    again = rescore(RunFolder(set_model(run, "tfidf-svm")))
    assert again.notices == []
    assert again.scores.provenance is not None
    assert again.scores.provenance.run == stored["provenance"]["run"]


def test_an_old_run_with_the_former_name_of_a_setting_keeps_its_name(tmp_path: Path) -> None:
    run = set_model(make(tmp_path / "run"), "lm:org/model --shots 5 --wording 2")
    assert read_manifest(RunFolder(run)).identity.model.name == "lm:org/model --shots 5 --wording 2"


def test_name_of_a_model_is_derived_from_its_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A request for trust must show what would run."""
    model = {"adapter": "command", "argument": "touch /tmp/harm", "settings": {}, "name": "majority"}
    run = set_model(make(tmp_path / "run"), model)
    assert read_manifest(RunFolder(run)).identity.model.name == "command:touch /tmp/harm"
    assert main(["redo", str(run)]) == 2
    assert "touch /tmp/harm" in capsys.readouterr().err


def test_keys_are_masked_in_every_field_of_a_model_record(tmp_path: Path) -> None:
    run, key = make(tmp_path / "run"), "sk-aB3dE5gH7jK9mN1pQ2rS"
    model = {"adapter": "api", "argument": f"m@http://u:{key}@h/v1", "settings": {"form": key}, "name": f"api:m@http://u:{key}@h/v1"}
    edit(run / "manifest.json", lambda manifest: manifest["identity"].update(model=model, members=[model]))
    assert key not in str(read_manifest(RunFolder(run)))


@pytest.mark.parametrize("settings", [{"ledger": "/tmp/x"}, {"trust_remote_code": True}, {"shots": "five"}, {"nonsense": 1}])
def test_rejects_invalid_settings_before_loading_anything(
    settings: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = {"adapter": "api", "argument": "m@http://127.0.0.1:9/v1", "settings": settings, "name": "x"}
    run = set_model(make(tmp_path / "run"), model)
    assert main(["redo", str(run), "--trust"]) == 2
    told = capsys.readouterr().err
    assert "is no part of a model's name" in told or "takes no --" in told or "write a whole number" in told


@pytest.mark.parametrize("model", [3, None, [], {"adapter": "majority"}, {"adapter": "a", "argument": 1, "settings": {}, "name": "a"}])
def test_a_malformed_model_record_is_reported_as_a_broken_file(model: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = set_model(make(tmp_path / "run"), model)
    assert main(["compare", str(run), str(run)]) == 1
    assert "the file is broken" in capsys.readouterr().err
