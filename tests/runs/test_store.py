"""Runs on disk: truncated lines are removed, documents are written atomically, differences are reported by path."""

from pathlib import Path

import pytest

from gluepot.errors import GluepotError
from gluepot.files import write_atomically
from gluepot.records import Prediction
from gluepot.runs.storage.store import RunFolder, differences


def test_repair_removes_a_truncated_last_line(tmp_path: Path) -> None:
    file = RunFolder(tmp_path).predictions("t", "test", 0)
    file.append([Prediction("1", "a"), Prediction("2", "b")])
    with file.path.open("ab") as stream:
        stream.write(b'{"id": "3", "predi')
    assert file.repair() == 2
    assert [p.id for p in file.read()] == ["1", "2"]


def test_sets_and_tuples_are_stored_as_lists(tmp_path: Path) -> None:
    file = RunFolder(tmp_path).predictions("t", "test", 0)
    file.append([Prediction("1", frozenset({2, 1})), Prediction("2", ("O", "B-PER"), [0.1, 0.9])])
    assert [(p.output, p.scores) for p in file.read()] == [([1, 2], None), (["O", "B-PER"], [0.1, 0.9])]


def test_a_document_is_replaced_atomically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scores.json"
    write_atomically(path, b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["scores.json"]


def test_rejects_a_folder_without_a_manifest(tmp_path: Path) -> None:
    with pytest.raises(GluepotError, match="not a run"):
        RunFolder(tmp_path).read("manifest.json", dict)


def test_every_difference_is_reported_by_path() -> None:
    old, new = {"data": {"a/test": "1", "b/test": "2"}, "code": "x"}, {"data": {"a/test": "1", "b/test": "3"}, "code": "x"}
    assert list(differences(old, new)) == ["data.b/test: 2 → 3"]
