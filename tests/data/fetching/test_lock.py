"""Lock of fetched files: changes are refused unless forced, and files from elsewhere are preserved."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from gluepot.data.checks import Finding, check_material, read_material
from gluepot.data.checks.files.checksums import record_checksums
from gluepot.data.checksums import SUMS, format_sums
from gluepot.data.fetching.fetch import fetch
from gluepot.data.fetching.shelf import LOCK
from gluepot.errors import GluepotError
from gluepot.records import Suite
from gluepot.tasks.search_path import DECLARATION

from .servers import Site  # type: ignore[import-not-found,unused-ignore]
from .toys import ARCHIVE, TEST, TRAIN, archive_suite, only, statuses, tree, zipped  # type: ignore[import-not-found,unused-ignore]


def test_changed_content_is_refused_until_forced(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    fetch(suite)
    (root / "toy/a/test.jsonl").unlink()
    before = tree(root)
    new = zipped({"a/train.jsonl": TEST, "a/test.jsonl": TRAIN})
    archive_suite(site, new)
    report = fetch(suite)
    assert report.exit_code == 1
    assert hashlib.sha256(ARCHIVE).hexdigest() in only(report)
    assert hashlib.sha256(new).hexdigest() in only(report)
    assert "--force" in only(report)
    assert tree(root) == before
    assert not fetch(suite, force=True).failures
    assert (root / "toy/a/train.jsonl").read_bytes() == TEST
    assert (root / "toy/a/test.jsonl").read_bytes() == TRAIN
    (root / "toy/a/test.jsonl").unlink()
    assert not fetch(suite).failures


def test_a_declared_checksum_must_match_even_when_forced(site: Site, root: Path) -> None:
    suite = archive_suite(site, sha256="ab" * 32)
    for force in (False, True):
        report = fetch(suite, force=force)
        assert report.exit_code == 1
        assert "ab" * 32 in only(report)
        assert hashlib.sha256(ARCHIVE).hexdigest() in only(report)
        assert tree(root) == {}


def test_accepts_a_matching_declared_checksum(site: Site) -> None:
    assert not fetch(archive_suite(site, sha256=hashlib.sha256(ARCHIVE).hexdigest())).failures


def test_a_changed_declaration_is_refused_until_forced(site: Site, root: Path) -> None:
    fetch(archive_suite(site))
    new = zipped({"a/train.jsonl": TEST, "a/test.jsonl": TRAIN})
    suite = archive_suite(site, new, sha256=hashlib.sha256(new).hexdigest())
    asked = len(site.requests)
    assert "has changed" in only(fetch(suite))
    assert len(site.requests) == asked
    assert not fetch(suite, force=True).failures
    assert (root / "toy/a/train.jsonl").read_bytes() == TEST


def test_a_file_that_differs_from_the_lock_is_reported_and_only_replaced_by_force(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    fetch(suite)
    (root / "toy/a/test.jsonl").write_bytes(b"edited\n")
    report = fetch(suite)
    assert statuses(report)["toy/a/test.jsonl"] == "differs"
    assert report.exit_code == 1
    assert "toy/a/test.jsonl is not what was fetched" in only(report)
    assert (root / "toy/a/test.jsonl").read_bytes() == b"edited\n"
    assert not fetch(suite, force=True).failures
    assert (root / "toy/a/test.jsonl").read_bytes() == TEST


def test_files_from_elsewhere_are_preserved_even_when_forced(site: Site, root: Path) -> None:
    (root / "toy/a").mkdir(parents=True)
    (root / "toy/a/test.jsonl").write_bytes(b"mine\n")
    suite = archive_suite(site)
    for force in (False, True):
        report = fetch(suite, force=force)
        assert not report.failures
        assert statuses(report)["toy/a/test.jsonl"] == "kept"
    assert (root / "toy/a/test.jsonl").read_bytes() == b"mine\n"
    assert (root / "toy/a/train.jsonl").read_bytes() == TRAIN


def test_a_complete_folder_is_neither_fetched_nor_written(site: Site, root: Path) -> None:
    (root / "toy/a").mkdir(parents=True)
    for name in ("train", "test"):
        (root / f"toy/a/{name}.jsonl").write_bytes(b"mine\n")
    assert set(statuses(fetch(archive_suite(site))).values()) == {"kept"}
    assert not site.requests
    assert not (root / ".downloads").exists()


def test_rejects_a_malformed_lock(site: Site, root: Path) -> None:
    (root / "toy").mkdir(parents=True)
    (root / "toy" / LOCK).write_text("[]")
    with pytest.raises(GluepotError, match="not a lock that gluepot wrote"):
        fetch(archive_suite(site))


@pytest.fixture
def declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, bytes]], None]:
    """Function that declares the checksums of the toy suite."""
    (tmp_path / "suites" / "toy").mkdir(parents=True)
    (tmp_path / "suites" / "toy" / DECLARATION).touch()
    monkeypatch.setenv("GLUEPOT_SUITES", str(tmp_path / "suites"))

    def declare(files: dict[str, bytes]) -> None:
        sums = {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}
        (tmp_path / "suites" / "toy" / SUMS).write_text(format_sums(sums, "toy"))

    return declare


def checked(suite: Suite) -> dict[str, Finding]:
    found = check_material(read_material(suite.tasks["a"]))
    return {finding.code: finding for finding in found if finding.code.startswith("checksum")}


def test_files_that_match_their_declaration_are_fetched_without_failure(
    site: Site, root: Path, declared: Callable[[dict[str, bytes]], None]
) -> None:
    declared({"a/train.jsonl": TRAIN, "a/test.jsonl": TEST})
    assert not fetch(archive_suite(site)).failures


def test_fetch_and_check_report_an_undeclared_version_until_it_is_accepted(
    site: Site, root: Path, declared: Callable[[dict[str, bytes]], None]
) -> None:
    declared({"a/train.jsonl": TRAIN, "a/test.jsonl": b"as it was\n"})
    suite = archive_suite(site)
    for _ in range(2):
        report = fetch(suite)
        assert report.exit_code == 1
        assert "not what was published when toy was declared: toy/a/test.jsonl." in only(report)
        assert "`gluepot data check toy`" in only(report)
    assert (root / "toy/a/test.jsonl").read_bytes() == TEST
    assert "its publisher has changed it" in checked(suite)["checksum"].message
    record_checksums(suite.tasks.values())
    assert not fetch(suite).failures
    assert not checked(suite)["checksum"].counts


def test_force_accepts_an_undeclared_version(site: Site, root: Path, declared: Callable[[dict[str, bytes]], None]) -> None:
    declared({"a/train.jsonl": TRAIN, "a/test.jsonl": b"as it was\n"})
    suite = archive_suite(site)
    assert not fetch(suite, force=True).failures
    assert not checked(suite)["checksum"].counts
    assert not fetch(suite).failures


def test_check_finds_a_flipped_label_in_a_suite_without_declared_checksums(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    fetch(suite)
    assert checked(suite) == {}
    (root / "toy/a/test.jsonl").write_bytes(TEST.replace(b"b", b"c", 1))
    found = checked(suite)["checksum"]
    assert found.counts
    assert hashlib.sha256(TEST).hexdigest() in found.message


def test_an_edited_and_recorded_file_is_preserved_even_when_forced(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    fetch(suite)
    (root / "toy/a/test.jsonl").write_bytes(b"mine\n")
    record_checksums(suite.tasks.values())
    for force in (False, True):
        report = fetch(suite, force=force)
        assert not report.failures
        assert statuses(report)["toy/a/test.jsonl"] == "kept"
    assert (root / "toy/a/test.jsonl").read_bytes() == b"mine\n"
    assert checked(suite) == {}


def test_refetching_a_file_discards_its_recorded_checksum(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    fetch(suite)
    (root / "toy/a/test.jsonl").write_bytes(b"mine\n")
    record_checksums(suite.tasks.values())
    (root / "toy/a/test.jsonl").unlink()
    assert not fetch(suite).failures
    assert (root / "toy/a/test.jsonl").read_bytes() == TEST
    assert checked(suite) == {}
