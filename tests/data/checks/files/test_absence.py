"""Missing files are findings that name them, and do not stop the other checks."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.data.checks.making import CLASSES, CLEAN, declare, suite_of

from gluepot.cli import main
from gluepot.data.checks import Finding, check_material, check_suite, read_material
from gluepot.records import Source, Task

ABSENT = ("task-absent", "split-absent", "unreadable")


def write(folder: Path, *splits: str) -> None:
    for split in splits:
        (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in CLEAN), encoding="utf-8")


def absent(task: Task) -> list[Finding]:
    return [finding for finding in check_material(read_material(task)) if finding.code in ABSENT]


def three(**more: Any) -> Task:
    return declare(*CLASSES, {"train": 2, "dev": 2, "test": 2}, labels=["pro", "con"], **more)


def test_a_missing_split_is_a_finding_that_names_its_file(data: Path) -> None:
    write(data, "train", "test")
    [found] = absent(three())
    assert (found.code, found.task, found.split, found.counts) == ("split-absent", "own/task", "dev", True)
    assert "own/dev.jsonl" in found.message


def test_a_task_without_any_file_is_one_finding(data: Path) -> None:
    [found] = absent(three())
    assert (found.code, found.task, found.split, found.counts) == ("task-absent", "own/task", None, True)
    assert "own/train.jsonl" in found.message


def test_an_absent_task_does_not_stop_the_other_checks(data: Path) -> None:
    write(data, "train", "dev", "test")
    (data / "test.jsonl").write_text('{"text": "Solen sken över ån.", "label": "prö"}\n' * 2, encoding="utf-8")
    suite = suite_of(replace(three(), name="gone", data=Source(files={"test": "gone.jsonl"})), three())
    found = {(f.task, f.code) for one in check_suite(suite, suite.tasks.values()) for f in one.findings}
    assert ("own/gone", "task-absent") in found
    assert ("own/task", "unknown-label") in found


def test_names_only_the_missing_files_of_a_split(data: Path) -> None:
    write(data, "a")
    [found] = absent(replace(three(), data=Source(files={"test": ["a.jsonl", "b.jsonl"]})))
    assert "own/b.jsonl" in found.message
    assert "own/a.jsonl" not in found.message


def test_a_missing_split_that_only_the_alternative_declares_is_a_note(data: Path) -> None:
    write(data, "train", "dev", "test")
    found = absent(three(alternative=Source(files={"all": "all.jsonl"})))
    assert [(f.code, f.split, f.severity) for f in found] == [("split-absent", "all", "note")]


def test_an_alternative_without_a_split_does_not_hide_that_it_is_missing(data: Path) -> None:
    write(data, "other-train", "other-test")
    found = absent(three(alternative=Source(files={"train": "other-train.jsonl", "test": "other-test.jsonl"})))
    assert [(f.code, f.split, f.severity) for f in found] == [("split-absent", "dev", "problem")]


def test_an_unreadable_file_is_a_finding(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(data, "train", "dev", "test")

    read = Path.read_bytes

    def refuse(self: Path) -> bytes:
        if self.name == "dev.jsonl":
            raise PermissionError(13, "Permission denied", str(self))
        return read(self)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    [found] = absent(three())
    assert (found.code, found.split) == ("unreadable", "dev")
    assert "dev.jsonl: Permission denied." in found.message


def test_a_missing_library_of_a_reader_is_a_finding(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    (data / "test.jsonl").write_bytes(b"PAR1")
    [found] = absent(declare(*CLASSES, {"test": 2}, labels=["pro", "con"], reader="parquet"))
    assert found.code == "unreadable"
    assert "pip install 'gluepot[parquet]'" in found.message


@pytest.fixture
def copied(real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder with two small Superlim tasks as symbolic links."""
    for name in ("swewinograd", "swewinogender"):
        (tmp_path / "superlim" / name).mkdir(parents=True)
        for path in (real_data / "superlim" / name).iterdir():
            (tmp_path / "superlim" / name / path.name).symlink_to(path)
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    return tmp_path / "superlim"


def test_command_names_missing_files_and_exits_with_1(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "check", "superlim/swewinograd"]) == 0
    capsys.readouterr()
    (copied / "swewinograd" / "swewinograd_dev.jsonl").unlink()
    assert main(["data", "check", "superlim/swewinograd"]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first == "superlim/swewinograd dev: missing: superlim/swewinograd/swewinograd_dev.jsonl. [split-absent]"
    assert last.endswith("Get the missing files with `gluepot data fetch superlim`.")


def test_command_names_every_absent_task(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "check", "superlim", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    gone = {f["task"] for f in document["findings"] if f["code"] == "task-absent"}
    assert len(gone) == 13
    assert {name.removeprefix("superlim/") for name in gone} == set(document["missing"])


def test_command_without_data_exits_with_3_and_names_the_fetch_command(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "check", "superlim/swewinograd"]) == 3
    assert "gluepot data fetch superlim" in capsys.readouterr().err
