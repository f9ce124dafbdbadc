"""Fetching with broken connections, server errors, full disks and concurrent fetches."""

import errno
import fcntl
import os
import threading
from pathlib import Path
from typing import IO

import pytest

from gluepot.data.fetching import fetch as fetching
from gluepot.data.fetching.fetch import fetch
from gluepot.records import Source

from .servers import Site  # type: ignore[import-not-found,unused-ignore]
from .toys import ARCHIVE, TEST, TRAIN, archive_suite, make_suite, make_task, only, refused_url, run, tree, zipped  # type: ignore[import-not-found,unused-ignore]


def test_resumes_a_broken_connection_within_one_fetch(site: Site, root: Path) -> None:
    site.breaks = [100_000]
    assert not fetch(archive_suite(site)).failures
    first, second = site.requests
    assert "Range" not in first.headers
    assert second.headers["Range"] == "bytes=100000-"
    assert second.headers["If-Range"].startswith('"')
    assert (root / "toy/a/train.jsonl").read_bytes() == TRAIN


def test_the_next_fetch_resumes_where_the_last_one_stopped(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    site.breaks = [50_000, 50_000, 0, 0]
    report = fetch(suite)
    assert report.exit_code == 3
    assert "run the same command to go on" in only(report)
    assert [name.rpartition("-")[2] for name in tree(root)] == ["toy.zip.part", "toy.zip.part.json"]
    site.requests.clear()
    assert not fetch(suite).failures
    assert [request.headers["Range"] for request in site.requests] == ["bytes=100000-"]
    assert (root / "toy/a/train.jsonl").read_bytes() == TRAIN
    assert not any(".part" in name for name in tree(root))


def test_does_not_resume_a_file_that_has_changed(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    site.breaks = [50_000, 0, 0, 0]
    fetch(suite)
    archive_suite(site, zipped({"a/train.jsonl": TEST * 20_000, "a/test.jsonl": TRAIN}))
    assert not fetch(suite).failures
    assert (root / "toy/a/test.jsonl").read_bytes() == TRAIN


def test_restarts_a_partial_file_that_is_longer_than_its_source(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    site.breaks = [50_000, 0, 0, 0]
    fetch(suite)
    part = next((root / ".downloads").glob("*.part"))
    part.write_bytes(b"x" * (len(ARCHIVE) + 1))
    assert not fetch(suite).failures
    assert (root / "toy/a/train.jsonl").read_bytes() == TRAIN


def test_resumes_a_reset_connection(site: Site, root: Path) -> None:
    site.breaks, site.resets = [100_000], True
    assert not fetch(archive_suite(site)).failures
    assert [request.headers["Range"] for request in site.requests] == [None, "bytes=100000-"]
    assert (root / "toy/a/train.jsonl").read_bytes() == TRAIN


@pytest.mark.parametrize("resets", [False, True])
def test_without_an_etag_nothing_is_resumed_or_left(site: Site, root: Path, resets: bool) -> None:
    site.etags, site.breaks, site.resets = False, [50_000, 50_000, 50_000, 50_000], resets
    assert fetch(archive_suite(site)).exit_code == 3
    assert tree(root) == {}
    assert all("Range" not in request.headers for request in site.requests)


def test_retries_after_two_server_errors(site: Site) -> None:
    site.statuses = [500, 503]
    assert not fetch(archive_suite(site)).failures
    assert len(site.requests) == 3


def test_gives_up_after_four_server_errors(site: Site, root: Path) -> None:
    site.statuses = [500, 500, 500, 502]
    report = fetch(archive_suite(site))
    assert report.exit_code == 3
    assert "it answered 502" in only(report)
    assert tree(root) == {}


def test_names_a_source_that_is_not_found(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    site.files.clear()
    report = fetch(suite)
    assert report.exit_code == 3
    assert only(report) == f"{site.url}/toy.zip is not there (404); the source may have moved."
    assert len(site.requests) == 1
    assert report.missing == ["toy/a/train.jsonl", "toy/a/test.jsonl"]
    assert tree(root) == {}


def test_reports_unreachable_hosts_in_one_line(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    url = refused_url()
    urls = {"a": f"{url}/a.zip", "b": f"{url}/b.zip", "c": f"{url.replace('127.0.0.1', 'localhost')}/c.zip"}
    tasks = [make_task(name, Source(files={"test": name}, archive=url)) for name, url in urls.items()]
    assert run(make_suite(*tasks), monkeypatch) == 3
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith("gluepot: could not reach 127.0.0.1 and localhost: ")
    assert said[0].endswith("Are you offline? What is already downloaded is kept; run the same command to go on.")
    assert tree(root) == {}


def test_reports_a_full_disk_and_leaves_no_partial_file(site: Site, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(stream: IO[bytes], file: IO[bytes]) -> tuple[str, int]:
        file.write(stream.read(10))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(fetching, "copy", full)
    report = fetch(archive_suite(site))
    assert report.exit_code == 1
    assert "is full. No half-written file is left" in only(report)
    assert tree(root) == {}


def test_removes_the_partial_download_if_the_disk_is_full(site: Site, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(name: str, done: int, total: int | None) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    report = fetch(archive_suite(site), watch=full)
    assert "is full" in only(report)
    assert tree(root) == {}


def test_a_concurrent_fetch_reports_that_it_waits(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    (root / ".downloads").mkdir(parents=True)
    waiting = threading.Event()
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        waiting.set()

    with (root / ".downloads/.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        second = threading.Thread(target=lambda: fetch(suite, say=say))
        second.start()
        assert waiting.wait(10)
        assert not site.requests
    second.join(10)
    assert said == ["another fetch is under way; waiting until it is done."]
    assert (root / "toy/a/test.jsonl").is_file()
