"""Fetching of archives: unpacked files and refused members."""

import hashlib
import io
import json
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from gluepot.data.fetching.fetch import fetch
from gluepot.data.fetching.origins import plan
from gluepot.data.fetching.shelf import LOCK
from gluepot.data.folders import find_files
from gluepot.errors import WrongUse
from gluepot.records import Source

from .servers import Site  # type: ignore[import-not-found,unused-ignore]
from .toys import ARCHIVE, FILES, TEST, TRAIN, archive_suite, make_suite, make_task, only, statuses, tarred, tree, zipped  # type: ignore[import-not-found,unused-ignore]


def test_files_are_unpacked_where_readers_expect_them(site: Site, root: Path) -> None:
    suite = archive_suite(site)
    report = fetch(suite)
    assert not report.failures
    assert not report.missing
    assert find_files(suite.tasks["a"], "train")[1] == [root / "toy/a/train.jsonl"]
    assert (root / "toy/a/train.jsonl").read_bytes() == TRAIN


def test_unpacks_only_declared_files_and_their_sheets_and_removes_the_archive(site: Site, root: Path) -> None:
    fetch(archive_suite(site))
    assert set(tree(root)) == {"toy/.gluepot-lock.json", "toy/a/train.jsonl", "toy/a/test.jsonl", "toy/a/x_sheet.tsv"}


def test_unpacks_a_compressed_tar_below_a_prefix(site: Site, root: Path) -> None:
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


def test_a_source_in_the_folder_of_another_suite_is_unpacked_there(site: Site, root: Path) -> None:
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


def test_present_files_are_not_fetched_again(site: Site) -> None:
    suite = archive_suite(site)
    fetch(suite)
    asked = len(site.requests)
    assert statuses(fetch(suite)) == {"toy/a/train.jsonl": "already here", "toy/a/test.jsonl": "already here"}
    assert len(site.requests) == asked


def test_a_damaged_member_leaves_nothing_behind(site: Site, root: Path) -> None:
    damaged = bytearray(ARCHIVE)
    damaged[damaged.index(TEST) + 3] ^= 1
    report = fetch(archive_suite(site, bytes(damaged)))
    assert report.exit_code == 1
    assert "not an intact zip or tar archive" in only(report)
    assert tree(root) == {}


def test_a_tar_with_a_wrong_final_checksum_leaves_nothing_behind(site: Site, root: Path) -> None:
    damaged = bytearray(tarred({"a/train.jsonl": TRAIN, "a/test.jsonl": TEST}))
    damaged[-6] ^= 1  # in the checksum of the gzip stream
    report = fetch(archive_suite(site, bytes(damaged)))
    assert "not an intact zip or tar archive" in only(report)
    assert tree(root) == {}


def test_reports_an_html_page_instead_of_an_archive(site: Site, root: Path) -> None:
    assert "not an intact zip or tar archive" in only(fetch(archive_suite(site, b"<html>Please log in</html>")))
    assert tree(root) == {}


def test_lists_the_members_of_an_archive_that_lacks_a_declared_file(site: Site, root: Path) -> None:
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


def test_a_broken_source_does_not_prevent_fetching_the_others(site: Site, root: Path) -> None:
    site.files["/toy.zip"] = ARCHIVE
    gone = make_task("b", Source(files={"test": "b.jsonl"}, archive=f"{site.url}/gone.zip"))
    report = fetch(make_suite(gone, make_task("a", Source(files=FILES, archive=f"{site.url}/toy.zip"))))
    assert "gone.zip is not there" in only(report)
    assert (root / "toy/a/test.jsonl").is_file()


def test_reports_where_to_put_the_files_of_a_task_without_a_source(root: Path) -> None:
    report = fetch(make_suite(make_task("a", Source(files={"test": "a.jsonl"}))))
    assert report.exit_code == 3
    assert "put toy/a.jsonl into" in only(report)


def test_rejects_two_pins_of_one_source(site: Site) -> None:
    tasks = [make_task(n, Source(files={"test": n}, archive="https://toys.invalid/a.zip", sha256=n * 64)) for n in "ab"]
    with pytest.raises(WrongUse, match="is pinned to"):
        plan(tasks)


def test_rejects_file_urls(tmp_path: Path, root: Path) -> None:
    (tmp_path / "secret.zip").write_bytes(ARCHIVE)
    report = fetch(make_suite(make_task("a", Source(files=FILES, archive=f"file://{tmp_path}/secret.zip"))))
    assert "https:// and http:// addresses only" in str(report.failures)
    assert not tree(root)
