"""Checksum checks find a single flipped label, by the declared, fetched or recorded checksum of its file."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.data.checks.making import CLASSES, CLEAN, declare, suite_of

from gluepot.cli import main
from gluepot.data.checks import Finding, check_material, check_suite, read_material
from gluepot.data.checks.files.checksums import record_checksums
from gluepot.data.checksums import SUMS, digest_of, format_sums
from gluepot.data.fetching.shelf import LOCK, DataFolder, FetchedFile
from gluepot.data.folders import fingerprint
from gluepot.records import Source, Task
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.search_path import DECLARATION

CODES = ("checksum", "checksum-form", "checksum-unknown", "file-absent", "file-unexpected", "unreadable")
RIGHT = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in CLEAN).encode()
FLIPPED = RIGHT.replace(b'"label": "con"', b'"label": "pro"')
TASK = declare(*CLASSES, {"test": 2}, labels=["pro", "con"])


def found(task: Task = TASK) -> list[Finding]:
    return [finding for finding in check_material(read_material(task)) if finding.code in CODES]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def known(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Function that declares checksums for a suite called `own`."""
    (tmp_path / "suites" / "own").mkdir(parents=True)
    (tmp_path / "suites" / "own" / DECLARATION).touch()
    monkeypatch.setenv("GLUEPOT_SUITES", str(tmp_path / "suites"))
    (data / "test.jsonl").write_bytes(RIGHT)

    def declare_sums(**sums: str) -> None:
        (tmp_path / "suites" / "own" / SUMS).write_text(format_sums({f"{name}.jsonl": value for name, value in sums.items()}, "own"))

    return declare_sums


def test_a_file_as_published_has_no_finding(known: Callable[..., None]) -> None:
    known(test=sha256(RIGHT))
    assert found() == []


def test_a_flipped_label_is_reported_with_both_checksums_and_remedies(known: Callable[..., None], data: Path) -> None:
    known(test=sha256(RIGHT))
    (data / "test.jsonl").write_bytes(FLIPPED)
    [one] = found()
    assert (one.code, one.split, one.counts) == ("checksum", "test", True)
    assert one.message.startswith("own/test.jsonl is not the file that was published: ")
    assert sha256(RIGHT) in one.message
    assert sha256(FLIPPED) in one.message
    assert "Remove it and download it again with `gluepot data fetch own`." in one.message
    assert "`gluepot data check own --record` accepts it." in one.message


@pytest.mark.parametrize("form", [RIGHT.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + RIGHT, RIGHT.rstrip()], ids=["CR LF", "mark", "last"])
def test_distinguishes_other_line_ends_from_other_content(known: Callable[..., None], data: Path, form: bytes) -> None:
    known(test=sha256(RIGHT))
    (data / "test.jsonl").write_bytes(form)
    [one] = found()
    assert (one.code, one.counts) == ("checksum-form", True)
    assert "line ends" in one.message


@pytest.mark.parametrize("content", [RIGHT, FLIPPED, RIGHT.replace(b"\n", b"\r\n")])
def test_fingerprints_are_equal_exactly_if_there_is_no_finding(known: Callable[..., None], data: Path, content: bytes) -> None:
    known(test=sha256(RIGHT))
    before = fingerprint([data / "test.jsonl"])
    (data / "test.jsonl").write_bytes(content)
    assert (fingerprint([data / "test.jsonl"]) == before) is (found() == [])


def test_files_without_a_known_checksum_are_a_note(known: Callable[..., None]) -> None:
    known()
    suite = suite_of(TASK)
    [one] = [f for task in check_suite(suite, suite.tasks.values()) for f in task.findings if f.code in CODES]
    assert (one.code, one.severity, one.examples) == ("checksum-unknown", "note", ["own/test.jsonl"])


def fetched(content: bytes, path: str = "test.jsonl") -> None:
    """Write a lock as a fetch does."""
    shelf = DataFolder("own")
    shelf.lock.files[path] = FetchedFile(sha256(content), len(content), "https://toys.invalid/toy.zip")
    shelf.save()


def test_files_without_declared_checksums_are_compared_with_the_fetched_ones(known: Callable[..., None], data: Path) -> None:
    known()
    fetched(RIGHT)
    assert found() == []
    (data / "test.jsonl").write_bytes(FLIPPED)
    [one] = found()
    assert "is not the file that was fetched" in one.message
    assert "It was changed after it was fetched; `gluepot data fetch own --force` brings it back." in one.message


def test_distinguishes_a_change_by_the_publisher_from_a_local_edit(known: Callable[..., None], data: Path) -> None:
    known(test=sha256(RIGHT))
    fetched(FLIPPED)
    (data / "test.jsonl").write_bytes(FLIPPED)
    [one] = found()
    assert "It came so from https://toys.invalid/toy.zip: its publisher has changed it." in one.message


def test_a_recorded_version_is_accepted_and_still_reported_if_another_was_published(known: Callable[..., None], data: Path) -> None:
    known(test=sha256(RIGHT))
    (data / "test.jsonl").write_bytes(FLIPPED)
    assert record_checksums([TASK]) == ["own/test.jsonl"]
    [one] = found()
    assert (one.code, one.counts) == ("checksum", False)
    assert one.accepted is not None
    assert one.accepted.startswith("recorded here on 20")
    (data / "test.jsonl").write_bytes(FLIPPED + FLIPPED)
    [one] = found()
    assert one.counts
    assert "that was recorded" in one.message
    (data / "test.jsonl").write_bytes(RIGHT)
    assert found() == []


def test_a_recorded_checksum_is_compared_in_later_checks(known: Callable[..., None], data: Path) -> None:
    known()
    assert record_checksums([TASK]) == ["own/test.jsonl"]
    assert record_checksums([TASK]) == []
    assert found() == []
    (data / "test.jsonl").write_bytes(FLIPPED)
    [one] = found()
    assert one.code == "checksum"


def test_names_a_missing_and_an_unexpected_part(known: Callable[..., None], data: Path) -> None:
    known(**{"part-0": sha256(RIGHT), "part-1": sha256(RIGHT)})
    task = replace(TASK, data=Source(files={"test": "part-*.jsonl"}))
    for name in ("part-0", "part-2"):
        (data / f"{name}.jsonl").write_bytes(RIGHT)
    codes = {one.code: one for one in found(task)}
    assert codes["file-absent"].message == "1 file of 2 missing: own/part-1.jsonl."
    assert codes["file-unexpected"].examples == ["own/part-2.jsonl"]


def test_compares_files_of_an_alternative_in_the_folder_of_another_suite(known: Callable[..., None], data: Path) -> None:
    known(test=sha256(FLIPPED))
    borrowed = replace(
        TASK, suite="borrower", data=Source(files={"test": "gone.jsonl"}), alternative=Source(folder="own", files={"test": "test.jsonl"})
    )
    [one] = [finding for finding in found(borrowed) if finding.code == "checksum"]
    assert one.message.startswith("own/test.jsonl")


def test_a_damaged_lock_is_a_finding(known: Callable[..., None], data: Path) -> None:
    known(test=sha256(RIGHT))
    (data / LOCK).write_text("[]")
    [one] = found()
    assert (one.code, one.counts) == ("unreadable", True)
    assert "not a lock that gluepot wrote" in one.message


def test_official_files_match_their_declared_checksums(real_data: Path) -> None:
    for name in ("superlim", "basqueglue", "russian-superglue", "scandeval-da"):
        shelf = DataFolder(name)
        here = {path: digest_of(shelf.folder / path) for path in shelf.declared if (shelf.folder / path).is_file()}
        assert here == {path: shelf.declared[path] for path in here}
        assert here


def test_command_finds_a_flipped_gold_label_in_an_official_file(
    real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(real_data / "superlim" / "swewinograd", tmp_path / "superlim" / "swewinograd", copy_function=shutil.copyfile)
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    assert main(["data", "check", "superlim/swewinograd"]) == 0
    accepted = capsys.readouterr().out.split(", ")[1]
    path = tmp_path / "superlim" / "swewinograd" / "swewinograd_test.jsonl"
    right = digest_of(path)
    rows = path.read_bytes().split(b"\n")
    rows[3] = rows[3].replace(b"not_coref", b"coref") if b"not_coref" in rows[3] else rows[3].replace(b"coref", b"not_coref")
    path.write_bytes(b"\n".join(rows))
    assert main(["data", "check", "superlim/swewinograd"]) == 1
    told = capsys.readouterr().out
    assert f"superlim/swewinograd/swewinograd_test.jsonl is not the file that was published: sha256 {right}" in told
    assert digest_of(path) in told
    assert main(["data", "check", "superlim/swewinograd", "--record"]) == 0
    said = capsys.readouterr()
    assert int(said.out.split(", ")[1].split()[0]) == int(accepted.split()[0]) + 1
    assert said.err.endswith("1 checksum recorded.\n")


def test_recording_reports_missing_write_permission(
    known: Callable[..., None], data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known()
    (data.parent / "supersim" / "data").mkdir(parents=True)
    suite = load_suite("supersim")
    for task in suite.tasks.values():
        (data.parent / "supersim" / "data" / f"gold_{task.name}.tsv").write_text("Word 1\tWord 2\tAnno 1\tAverage\na\tb\t1\t1\n")

    def refuse(self: Path, _data: bytes) -> int:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    assert main(["data", "check", "supersim", "--record"]) == 1
    assert "Permission denied" in capsys.readouterr().err
