"""Fetching, against local servers that speak the real protocols."""

import errno
import fcntl
import hashlib
import io
import json
import os
import socket
import stat
import tarfile
import threading
import zipfile
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec
import pytest

from gluepot.cli import data_fetch
from gluepot.data.fetching import archives
from gluepot.data.fetching import fetch as fetching
from gluepot.data.fetching.fetch import Report, fetch
from gluepot.data.fetching.origins import plan
from gluepot.data.fetching.shelf import LOCK
from gluepot.data.folders import find_files
from gluepot.errors import GluepotError, WrongUse
from gluepot.records import Overall, Source, Suite, Task

from .servers import Hub, Site, serve  # type: ignore[import-not-found,unused-ignore]

TRAIN, TEST = b'{"text": "a"}\n' * 20_000, b'{"text": "b"}\n' * 10
OLD, NEW = "0" * 39 + "1", "0" * 39 + "2"


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setattr(archives, "PAUSES", (0.0, 0.0, 0.0))
    return tmp_path / "data"


@pytest.fixture
def site() -> Iterator[Site]:
    with serve(Site()) as served:
        yield served


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    from huggingface_hub import close_session

    close_session()
    with serve(Hub()) as served:
        assert isinstance(served, Hub)
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        served.repositories["toys/tweets-mini"] = {
            "README.md": b"# Tweets\n",
            "data/notes.txt": b"",
            "data/test-0.parquet": TEST,
            "data/train-0.parquet": TRAIN,
        }
        served.commits["toys/tweets-mini"] = OLD
        yield served
    close_session()


def make_task(name: str, data: Source, **more: Any) -> Task:
    return Task(
        title=name,
        summary="A toy.",
        kind="classification",
        language="sv",
        domain=["toys"],
        metrics=["accuracy"],
        license="CC0-1.0",
        citation="Nobody (2026).",
        link="https://toys.invalid",
        data=data,
        fields={"text": "text", "target": "label"},
        suite="toy",
        name=name,
        **more,
    )


def make_suite(*tasks: Task) -> Suite:
    return Suite(
        title="Toy",
        summary="A toy.",
        version="1",
        language="sv",
        license="CC0-1.0",
        citation="Nobody (2026).",
        link="https://toys.invalid",
        order=[task.name for task in tasks],
        overall=Overall(terms=[[task.name] for task in tasks]),
        submission="toy",
        name="toy",
        tasks={task.name: task for task in tasks},
    )


def zipped(files: dict[str, bytes], *, method: int = zipfile.ZIP_STORED) -> bytes:
    """A zip; stored by default, so that a byte of a member can be damaged in place."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


def tarred(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


ARCHIVE = zipped(
    {"toy-main/README.md": b"top\n", "toy-main/a/train.jsonl": TRAIN, "toy-main/a/test.jsonl": TEST, "toy-main/a/x_sheet.tsv": b"s\n"}
)
FILES: dict[str, str | list[str]] = {"train": "a/train.jsonl", "test": "a/test.jsonl"}


def archive_suite(site: Site, content: bytes = ARCHIVE, *, sha256: str | None = None, **more: Any) -> Suite:
    site.files["/toy.zip"] = content
    return make_suite(make_task("a", Source(files=FILES, archive=f"{site.url}/toy.zip", sha256=sha256, **more)))


def hub_suite(revision: str | None = None) -> Suite:
    files: dict[str, str | list[str]] = {"train": "tweets/data/train-*.parquet", "test": "tweets/data/test-*.parquet"}
    return make_suite(make_task("tweets", Source(files=files, hub="toys/tweets-mini", revision=revision)))


def statuses(report: Report) -> dict[str, str]:
    return {file.path: file.status for file in report.files}


def tree(root: Path) -> dict[str, bytes]:
    """Every file below the data folder but the fetch's own lock on the downloads."""
    paths = [path for path in sorted(root.rglob("*")) if path.is_file() and path.name != ".lock"]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def run(suite: Suite, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The command, on a suite that is not declared."""
    monkeypatch.setattr(data_fetch, "find", lambda path: (suite, None))
    parser = ArgumentParser()
    data_fetch.configure(parser)
    return data_fetch.run(parser.parse_args(["toy", *words]))


def only(report: Report) -> str:
    """The one failure's sentence."""
    assert len(report.failures) == 1, report.failures
    return str(report.failures[0])


# archives


def test_files_land_where_the_readers_look(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    report = fetch(suite)
    assert not report.failures
    assert not report.missing
    assert find_files(suite.tasks["a"], "train")[1] == [root / "toy/a/train.jsonl"]
    assert (root / "toy/a/train.jsonl").read_bytes() == TRAIN


def test_only_wanted_files_and_their_sheets_are_unpacked_and_the_archive_is_gone(site: Site, root: Path) -> None:
    fetch(archive_suite(site))
    assert set(tree(root)) == {"toy/.gluepot-lock.json", "toy/a/train.jsonl", "toy/a/test.jsonl", "toy/a/x_sheet.tsv"}


def test_a_compressed_tar_and_a_prefix_work_alike(site: Site, root: Path) -> None:
    content = tarred({"./top/release/a/test.jsonl": TEST, "./top/release/a/train.jsonl": TRAIN, "./top/other.txt": b""})
    assert not fetch(archive_suite(site, content, prefix="release")).failures
    assert (root / "toy/a/test.jsonl").read_bytes() == TEST


def test_tasks_that_share_an_archive_fetch_it_once(site: Site, root: Path) -> None:
    site.files["/toy.zip"] = zipped({"a/test.jsonl": TEST, "b/test.jsonl": TRAIN})
    url = f"{site.url}/toy.zip"
    tasks = [make_task(name, Source(files={"test": f"{name}/test.jsonl"}, archive=url)) for name in "ab"]
    assert not fetch(make_suite(*tasks)).failures
    assert len(site.requests) == 1
    assert (root / "toy/b/test.jsonl").read_bytes() == TRAIN


def test_a_source_in_another_suites_folder_lands_there(site: Site, root: Path) -> None:
    fetch(archive_suite(site, folder="other"))
    assert (root / "other/a/test.jsonl").is_file()
    assert (root / "other" / LOCK).is_file()


def test_the_alternative_is_fetched_too(site: Site, root: Path) -> None:
    site.files |= {"/toy.zip": ARCHIVE, "/more.zip": zipped({"all.csv": b"1\n", "readme.txt": b""})}
    alternative = Source(files={"all": "idioms/all.csv"}, archive=f"{site.url}/more.zip")
    task = make_task("a", Source(files=FILES, archive=f"{site.url}/toy.zip"), alternative=alternative)
    assert not fetch(make_suite(task)).failures
    assert (root / "toy/idioms/all.csv").read_bytes() == b"1\n"


def test_the_lock_records_archive_and_files(site: Site, root: Path) -> None:
    fetch(archive_suite(site))
    lock = json.loads((root / "toy" / LOCK).read_bytes())
    source = lock["sources"][f"{site.url}/toy.zip"]
    assert source["identity"] == hashlib.sha256(ARCHIVE).hexdigest()
    assert source["bytes"] == len(ARCHIVE)
    assert source["date"]
    assert lock["files"]["a/test.jsonl"]["sha256"] == hashlib.sha256(TEST).hexdigest()


def test_what_is_already_here_is_not_fetched_again(site: Site) -> None:
    suite = archive_suite(site)
    fetch(suite)
    asked = len(site.requests)
    assert statuses(fetch(suite)) == {"toy/a/train.jsonl": "already here", "toy/a/test.jsonl": "already here"}
    assert len(site.requests) == asked


def test_a_broken_connection_is_continued_within_one_fetch(site: Site, root: Path) -> None:
    site.breaks = [100_000]
    assert not fetch(archive_suite(site)).failures
    first, second = site.requests
    assert "Range" not in first.headers
    assert second.headers["Range"] == "bytes=100000-"
    assert second.headers["If-Range"].startswith('"')
    assert (root / "toy/a/train.jsonl").read_bytes() == TRAIN


def test_the_next_fetch_goes_on_where_the_last_one_stopped(site: Site, root: Path) -> None:
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


def test_a_part_of_something_that_has_changed_is_not_continued(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    site.breaks = [50_000, 0, 0, 0]
    fetch(suite)
    archive_suite(site, zipped({"a/train.jsonl": TEST * 20_000, "a/test.jsonl": TRAIN}))
    assert not fetch(suite).failures
    assert (root / "toy/a/test.jsonl").read_bytes() == TRAIN


def test_a_part_that_is_longer_than_the_file_is_started_again(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    site.breaks = [50_000, 0, 0, 0]
    fetch(suite)
    part = next((root / ".downloads").glob("*.part"))
    part.write_bytes(b"x" * (len(ARCHIVE) + 1))
    assert not fetch(suite).failures
    assert (root / "toy/a/train.jsonl").read_bytes() == TRAIN


def test_a_reset_connection_is_continued(site: Site, root: Path) -> None:
    site.breaks, site.resets = [100_000], True
    assert not fetch(archive_suite(site)).failures
    assert [request.headers["Range"] for request in site.requests] == [None, "bytes=100000-"]
    assert (root / "toy/a/train.jsonl").read_bytes() == TRAIN


@pytest.mark.parametrize("resets", [False, True])
def test_without_an_etag_nothing_is_continued_and_nothing_left(site: Site, root: Path, resets: bool) -> None:
    site.etags, site.breaks, site.resets = False, [50_000, 50_000, 50_000, 50_000], resets
    assert fetch(archive_suite(site)).exit_code == 3
    assert tree(root) == {}
    assert all("Range" not in request.headers for request in site.requests)


def test_two_server_errors_are_survived(site: Site) -> None:
    site.statuses = [500, 503]
    assert not fetch(archive_suite(site)).failures
    assert len(site.requests) == 3


def test_four_server_errors_are_not(site: Site, root: Path) -> None:
    site.statuses = [500, 500, 500, 502]
    report = fetch(archive_suite(site))
    assert report.exit_code == 3
    assert "it answered 502" in only(report)
    assert tree(root) == {}


def test_a_source_that_moved_is_named(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    site.files.clear()
    report = fetch(suite)
    assert report.exit_code == 3
    assert only(report) == f"{site.url}/toy.zip is not there (404); the source may have moved."
    assert len(site.requests) == 1
    assert report.missing == ["toy/a/train.jsonl", "toy/a/test.jsonl"]
    assert tree(root) == {}


def refused_url() -> str:
    """A URL where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_offline_is_one_sentence(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    url = refused_url()
    urls = {"a": f"{url}/a.zip", "b": f"{url}/b.zip", "c": f"{url.replace('127.0.0.1', 'localhost')}/c.zip"}
    tasks = [make_task(name, Source(files={"test": name}, archive=url)) for name, url in urls.items()]
    assert run(make_suite(*tasks), monkeypatch) == 3
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith("gluepot: could not reach 127.0.0.1 and localhost: ")
    assert said[0].endswith("Are you offline? What is already downloaded is kept; run the same command to go on.")
    assert tree(root) == {}


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


def test_a_declared_checksum_must_hold_even_when_forced(site: Site, root: Path) -> None:
    suite = archive_suite(site, sha256="ab" * 32)
    for force in (False, True):
        report = fetch(suite, force=force)
        assert report.exit_code == 1
        assert "ab" * 32 in only(report)
        assert hashlib.sha256(ARCHIVE).hexdigest() in only(report)
        assert tree(root) == {}


def test_a_declared_checksum_that_holds_is_fine(site: Site) -> None:
    assert not fetch(archive_suite(site, sha256=hashlib.sha256(ARCHIVE).hexdigest())).failures


def test_a_declaration_that_moved_on_is_refused_until_forced(site: Site, root: Path) -> None:
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


def test_what_somebody_else_put_there_is_kept_even_when_forced(site: Site, root: Path) -> None:
    (root / "toy/a").mkdir(parents=True)
    (root / "toy/a/test.jsonl").write_bytes(b"mine\n")
    suite = archive_suite(site)
    for force in (False, True):
        report = fetch(suite, force=force)
        assert not report.failures
        assert statuses(report)["toy/a/test.jsonl"] == "kept"
    assert (root / "toy/a/test.jsonl").read_bytes() == b"mine\n"
    assert (root / "toy/a/train.jsonl").read_bytes() == TRAIN


def test_a_folder_that_is_complete_needs_neither_network_nor_write(site: Site, root: Path) -> None:
    (root / "toy/a").mkdir(parents=True)
    for name in ("train", "test"):
        (root / f"toy/a/{name}.jsonl").write_bytes(b"mine\n")
    assert set(statuses(fetch(archive_suite(site))).values()) == {"kept"}
    assert not site.requests
    assert not (root / ".downloads").exists()


def test_a_damaged_member_leaves_nothing_behind(site: Site, root: Path) -> None:
    damaged = bytearray(ARCHIVE)
    damaged[damaged.index(TEST) + 3] ^= 1
    report = fetch(archive_suite(site, bytes(damaged)))
    assert report.exit_code == 1
    assert "not an intact zip or tar archive" in only(report)
    assert tree(root) == {}


def test_a_tar_whose_checksum_fails_at_its_end_leaves_nothing_behind(site: Site, root: Path) -> None:
    damaged = bytearray(tarred({"a/train.jsonl": TRAIN, "a/test.jsonl": TEST}))
    damaged[-6] ^= 1  # in the checksum of the gzip stream
    report = fetch(archive_suite(site, bytes(damaged)))
    assert "not an intact zip or tar archive" in only(report)
    assert tree(root) == {}


def test_a_page_instead_of_an_archive_is_said(site: Site, root: Path) -> None:
    assert "not an intact zip or tar archive" in only(fetch(archive_suite(site, b"<html>Please log in</html>")))
    assert tree(root) == {}


def test_an_archive_without_the_declared_file_says_what_it_holds(site: Site, root: Path) -> None:
    report = fetch(archive_suite(site, zipped({"a/train.jsonl": TRAIN, "b/other.jsonl": TEST})))
    assert report.exit_code == 1
    assert "does not hold a/test.jsonl. It holds: a/train.jsonl, b/other.jsonl." in only(report)
    assert report.missing == ["toy/a/test.jsonl"]
    assert statuses(report) == {"toy/a/train.jsonl": "fetched"}


@pytest.mark.parametrize("name", ["/etc/a/test.jsonl", "../a/test.jsonl", "x/../../a/test.jsonl", "..\\test.jsonl"])
def test_paths_that_lead_outside_are_refused(site: Site, root: Path, name: str) -> None:
    report = fetch(archive_suite(site, zipped({"a/train.jsonl": TRAIN, "a/test.jsonl": TEST, name: b"evil"})))
    assert "leads outside" in only(report)
    assert tree(root) == {}


def test_symbolic_links_are_refused(site: Site, root: Path) -> None:
    link = zipfile.ZipInfo("a/test.jsonl")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a/train.jsonl", TRAIN)
        archive.writestr(link, "/etc/passwd")
    assert "no plain file" in only(fetch(archive_suite(site, buffer.getvalue())))
    assert tree(root) == {}


def test_links_in_a_tar_are_refused(site: Site, root: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name in ("a/train.jsonl", "a/test.jsonl"):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(member)
    assert "no plain file" in only(fetch(archive_suite(site, buffer.getvalue())))
    assert tree(root) == {}


def test_a_full_disk_is_said_and_nothing_half_written_is_left(site: Site, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(stream: IO[bytes], file: IO[bytes]) -> tuple[str, int]:
        file.write(stream.read(10))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(fetching, "copy", full)
    report = fetch(archive_suite(site))
    assert report.exit_code == 1
    assert "is full. No half-written file is left" in only(report)
    assert tree(root) == {}


def test_a_disk_that_is_full_during_the_download_loses_the_part_too(site: Site, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(name: str, done: int, total: int | None) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    report = fetch(archive_suite(site), watch=full)
    assert "is full" in only(report)
    assert tree(root) == {}


def test_a_second_fetch_says_that_it_waits(site: Site, root: Path) -> None:
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


def test_one_broken_source_does_not_keep_the_others_from_being_fetched(site: Site, root: Path) -> None:
    site.files["/toy.zip"] = ARCHIVE
    gone = make_task("b", Source(files={"test": "b.jsonl"}, archive=f"{site.url}/gone.zip"))
    report = fetch(make_suite(gone, make_task("a", Source(files=FILES, archive=f"{site.url}/toy.zip"))))
    assert "gone.zip is not there" in only(report)
    assert (root / "toy/a/test.jsonl").is_file()


def test_a_task_without_a_source_says_where_to_put_its_files(root: Path) -> None:
    report = fetch(make_suite(make_task("a", Source(files={"test": "a.jsonl"}))))
    assert report.exit_code == 3
    assert "put toy/a.jsonl into" in only(report)


def test_two_pins_of_one_source_are_wrong_use(site: Site) -> None:
    tasks = [make_task(n, Source(files={"test": n}, archive="https://toys.invalid/a.zip", sha256=n * 64)) for n in "ab"]
    with pytest.raises(WrongUse, match="is pinned to"):
        plan(tasks)


def test_a_lock_that_is_no_lock_is_named(site: Site, root: Path) -> None:
    (root / "toy").mkdir(parents=True)
    (root / "toy" / LOCK).write_text("[]")
    with pytest.raises(GluepotError, match="not a lock that gluepot wrote"):
        fetch(archive_suite(site))


# the hub


def test_hub_files_land_where_the_readers_look(hub: Hub, root: Path) -> None:
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
    # the old shard must go, or the pattern would read both
    assert find_files(hub_suite().tasks["tweets"], "train")[1] == [root / "toy/tweets/data/train-0-of-1.parquet"]
    assert not fetch(hub_suite()).failures


def test_a_pinned_commit_is_what_is_asked_for(hub: Hub) -> None:
    assert not fetch(hub_suite(OLD)).failures
    assert hub.requests[0].path == f"/api/datasets/toys/tweets-mini/revision/{OLD}"


def test_a_pinned_commit_must_hold(hub: Hub, root: Path) -> None:
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


def test_hub_files_that_an_interrupted_fetch_brought_are_not_downloaded_again(hub: Hub, root: Path) -> None:
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


def test_a_broken_hub_connection_is_survived(hub: Hub, root: Path) -> None:
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


def test_hub_errors_are_survived(hub: Hub) -> None:
    hub.statuses = [500, 503]
    assert not fetch(hub_suite()).failures


def test_a_hub_without_the_declared_files_says_what_it_holds(hub: Hub) -> None:
    hub.repositories["toys/tweets-mini"] = {"README.md": b"", "tweets.csv": b""}
    report = fetch(hub_suite())
    assert report.exit_code == 1
    assert (
        "toys/tweets-mini does not hold tweets/data/train-*.parquet, tweets/data/test-*.parquet. It holds: README.md, tweets.csv."
        in only(report)
    )
    assert report.missing == ["toy/tweets/data/train-*.parquet", "toy/tweets/data/test-*.parquet"]


def test_a_repository_that_moved_is_named(hub: Hub) -> None:
    hub.repositories.clear()
    report = fetch(hub_suite())
    assert report.exit_code == 3
    assert "/datasets/toys/tweets-mini is not there" in only(report)


def test_an_unreachable_hub_is_one_sentence(
    hub: Hub, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", refused_url())
    assert run(hub_suite(), monkeypatch) == 3
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith("gluepot: could not reach 127.0.0.1: ")
    assert "Are you offline?" in said[0]
    assert tree(root) == {}


def test_where_both_are_declared_the_archive_is_asked_unless_told_otherwise(site: Site, hub: Hub) -> None:
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


# the command


def test_json_lists_every_file(site: Site, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(archive_suite(site), monkeypatch, "--json") == 0
    document = json.loads(capsysbinary.readouterr().out)
    assert document["suite"] == "toy"
    assert document["missing"] == []
    assert document["files"][0] == {
        "path": "toy/a/train.jsonl",
        "sha256": hashlib.sha256(TRAIN).hexdigest(),
        "bytes": len(TRAIN),
        "status": "fetched",
    }


def test_people_get_a_line_a_file(site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(archive_suite(site), monkeypatch) == 0
    assert run(archive_suite(site), monkeypatch) == 0
    said = capsys.readouterr()
    assert "fetched        280.0 kB  toy/a/train.jsonl" in said.out
    assert "already here   280.0 kB  toy/a/train.jsonl" in said.out
    assert said.err == f"127.0.0.1/toy.zip: {len(ARCHIVE):,} bytes\n"


def test_a_terminal_gets_a_bar(site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert run(archive_suite(site), monkeypatch) == 0
    said = capsys.readouterr().err
    assert "127.0.0.1/toy.zip" in said
    assert "━━━" in said


def test_pocket_needs_no_fetching(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    task = make_task("a", Source(files=FILES, archive=refused_url()))
    pocket = msgspec.structs.replace(make_suite(task), name="pocket")
    assert run(pocket, monkeypatch) == 0
    assert "needs no fetching" in capsys.readouterr().out
