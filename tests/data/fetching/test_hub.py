"""Fetching from the hub, and the choice between two sources."""

import hashlib
import json
from pathlib import Path

import msgspec
import pytest

from gluepot.data.checks import check_material, read_material
from gluepot.data.fetching.fetch import fetch
from gluepot.data.fetching.shelf import LOCK
from gluepot.data.folders import find_files

from .servers import Hub, Site  # type: ignore[import-not-found,unused-ignore]
from .toys import NEW, OLD, TEST, TRAIN, archive_suite, hub_suite, make_suite, make_task, only, refused_url, run, statuses, tree  # type: ignore[import-not-found,unused-ignore]


def test_hub_files_are_stored_where_readers_expect_them(hub: Hub, root: Path) -> None:
    suite = hub_suite()
    report = fetch(suite)
    assert not report.failures
    assert find_files(suite.tasks["tweets"], "test")[1] == [root / "toy/tweets/data/test-0.parquet"]
    assert set(tree(root)) == {"toy/.gluepot-lock.json", "toy/tweets/data/test-0.parquet", "toy/tweets/data/train-0.parquet"}
    assert (root / "toy/tweets/data/train-0.parquet").read_bytes() == TRAIN
    lock = json.loads((root / "toy" / LOCK).read_bytes())
    assert lock["sources"]["hub:toys/tweets-mini"]["identity"] == OLD


def test_hub_files_are_not_fetched_again(hub: Hub) -> None:
    fetch(hub_suite())
    asked = len(hub.requests)
    assert set(statuses(fetch(hub_suite())).values()) == {"already here"}
    assert len(hub.requests) == asked


def test_a_changed_commit_is_refused_until_forced(hub: Hub, root: Path) -> None:
    fetch(hub_suite())
    (root / "toy/tweets/data/test-0.parquet").unlink()
    hub.commits["toys/tweets-mini"] = NEW
    hub.repositories["toys/tweets-mini"] = {"data/test-0.parquet": TRAIN, "data/train-0-of-1.parquet": TEST}
    before = tree(root)
    report = fetch(hub_suite())
    assert report.exit_code == 1
    assert OLD in only(report)
    assert NEW in only(report)
    assert tree(root) == before
    assert not fetch(hub_suite(), force=True).failures
    assert (root / "toy/tweets/data/test-0.parquet").read_bytes() == TRAIN
    # the old shard must be removed, otherwise the pattern would match both
    assert find_files(hub_suite().tasks["tweets"], "train")[1] == [root / "toy/tweets/data/train-0-of-1.parquet"]
    assert not fetch(hub_suite()).failures


def test_requests_the_pinned_commit(hub: Hub) -> None:
    assert not fetch(hub_suite(OLD)).failures
    assert hub.requests[0].path == f"/api/datasets/toys/tweets-mini/revision/{OLD}"


def test_rejects_a_commit_other_than_the_pinned_one(hub: Hub, root: Path) -> None:
    report = fetch(hub_suite(NEW))
    assert report.exit_code == 1
    assert OLD in only(report)
    assert NEW in only(report)
    assert tree(root) == {}


def test_shards_of_an_interrupted_fetch_are_completed(hub: Hub, root: Path) -> None:
    repository = hub.repositories["toys/tweets-mini"]
    repository["data/train-1.parquet"] = TRAIN
    fetch(hub_suite())
    (root / "toy/tweets/data/train-1.parquet").unlink()
    report = fetch(hub_suite())
    assert statuses(report)["toy/tweets/data/train-1.parquet"] == "fetched"
    assert statuses(report)["toy/tweets/data/train-0.parquet"] == "already here"


def test_files_of_an_interrupted_fetch_are_not_downloaded_again(hub: Hub, root: Path) -> None:
    first, second = (f"/datasets/toys/tweets-mini/resolve/{OLD}/data/{name}-0.parquet" for name in ("test", "train"))
    hub.broken[second] = 500
    report = fetch(hub_suite())
    assert report.exit_code == 3
    assert "it answered 500" in only(report)
    assert not any(name.startswith("toy/") for name in tree(root))
    hub.broken.clear()
    hub.requests.clear()
    assert not fetch(hub_suite()).failures
    assert [request.path for request in hub.gets() if "/resolve/" in request.path] == [second]
    assert (root / first.replace(f"/datasets/toys/tweets-mini/resolve/{OLD}/", "toy/tweets/")).read_bytes() == TEST
    assert not any(name.startswith(".downloads/") for name in tree(root))


def test_retries_a_broken_hub_connection(hub: Hub, root: Path) -> None:
    hub.breaks = [10**9, 10**9, 1000]  # the description, the first file, and then the second one
    assert not fetch(hub_suite()).failures
    assert len([request for request in hub.gets() if request.path.endswith("train-0.parquet")]) == 2
    assert (root / "toy/tweets/data/train-0.parquet").read_bytes() == TRAIN


def test_a_hub_file_that_arrives_damaged_is_refused(hub: Hub, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = hub.answer

    def damaged(path: str) -> tuple[bytes, dict[str, str]] | None:
        answer = right(path)
        return (answer[0].replace(b"a", b"x"), answer[1]) if answer and path.endswith("train-0.parquet") else answer

    monkeypatch.setattr(hub, "answer", damaged)
    report = fetch(hub_suite())
    assert "arrived damaged" in only(report)
    assert tree(root) == {}


def test_retries_after_hub_errors(hub: Hub) -> None:
    hub.statuses = [500, 503]
    assert not fetch(hub_suite()).failures


def test_lists_the_files_of_a_repository_that_lacks_the_declared_ones(hub: Hub) -> None:
    hub.repositories["toys/tweets-mini"] = {"README.md": b"", "tweets.csv": b""}
    report = fetch(hub_suite())
    assert report.exit_code == 1
    assert (
        "toys/tweets-mini does not hold tweets/data/train-*.parquet, tweets/data/test-*.parquet. It holds: README.md, tweets.csv."
        in only(report)
    )
    assert report.missing == ["toy/tweets/data/train-*.parquet", "toy/tweets/data/test-*.parquet"]


def test_names_a_repository_that_is_not_found(hub: Hub) -> None:
    hub.repositories.clear()
    report = fetch(hub_suite())
    assert report.exit_code == 3
    assert "/datasets/toys/tweets-mini is not there" in only(report)


def test_reports_an_unreachable_hub_in_one_line(
    hub: Hub, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", refused_url())
    assert run(hub_suite(), monkeypatch) == 3
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith("gluepot: could not reach 127.0.0.1: ")
    assert "Are you offline?" in said[0]
    assert tree(root) == {}


def test_prefers_the_archive_unless_the_hub_is_requested(site: Site, hub: Hub) -> None:
    suite = archive_suite(site)
    both = msgspec.structs.replace(suite.tasks["a"].data, hub="toys/both")
    suite = make_suite(make_task("a", both))
    hub.repositories["toys/both"], hub.commits["toys/both"] = {"a/train.jsonl": TRAIN, "a/test.jsonl": TEST}, OLD
    fetch(suite)
    assert (len(site.requests), len(hub.requests)) == (1, 0)
    assert not fetch(suite, prefer="hub", force=True).failures
    assert len(site.requests) == 1
    assert hub.requests


def test_another_source_must_give_the_same_bytes(site: Site, hub: Hub, root: Path) -> None:
    data = msgspec.structs.replace(archive_suite(site).tasks["a"].data, hub="toys/both")
    suite = make_suite(make_task("a", data))
    hub.repositories["toys/both"], hub.commits["toys/both"] = {"a/train.jsonl": TRAIN, "a/test.jsonl": TRAIN}, OLD
    fetch(suite)
    (root / "toy/a/test.jsonl").unlink()
    before = tree(root)
    report = fetch(suite, prefer="hub")
    assert hashlib.sha256(TEST).hexdigest() in only(report)
    assert hashlib.sha256(TRAIN).hexdigest() in only(report)
    assert tree(root) == before


def test_check_finds_changed_missing_and_added_shards(hub: Hub, root: Path) -> None:
    hub.repositories["toys/tweets-mini"]["data/train-1.parquet"] = TRAIN
    suite = hub_suite()
    fetch(suite)

    def found() -> dict[str, str]:
        findings = check_material(read_material(suite.tasks["tweets"]))
        return {f.code: f.message for f in findings if f.code.startswith(("checksum", "file-"))}

    assert found() == {}
    folder = root / "toy/tweets/data"
    (folder / "train-0.parquet").write_bytes(TRAIN.replace(b"a", b"b", 1))
    (folder / "train-1.parquet").rename(folder / "train-2.parquet")
    told = found()
    assert hashlib.sha256(TRAIN).hexdigest() in told["checksum"]
    assert told["file-absent"] == "1 file of 2 missing: toy/tweets/data/train-1.parquet."
    assert "toy/tweets/data/train-2.parquet" in told["file-unexpected"]
