"""A failed fetch leaves the disk unchanged: no empty folder, no partial file, no lock."""

import fcntl
import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gluepot.data.fetching.fetch import fetch
from gluepot.records import Source, Suite

from .servers import Hub, Site  # type: ignore[import-not-found,unused-ignore]
from .toys import ARCHIVE, OLD, TEST, TRAIN, archive_suite, hub_suite, make_suite, make_task, refused_url, zipped  # type: ignore[import-not-found,unused-ignore]

Spoil = Callable[[Site], Suite]


def listing(folder: Path) -> dict[str, bytes | None]:
    """Return everything below a folder, including folders and hidden files."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def refused(site: Site) -> Suite:
    return make_suite(make_task("a", Source(files={"test": "a/test.jsonl"}, archive=f"{refused_url()}/toy.zip")))


def answering(*statuses: int) -> Spoil:
    def spoil(site: Site) -> Suite:
        site.statuses = list(statuses)
        return archive_suite(site)

    return spoil


def holding(content: bytes, **more: str) -> Spoil:
    return lambda site: archive_suite(site, content, **more)


def cut_at_once(site: Site) -> Suite:
    site.breaks = [0, 0, 0, 0]
    return archive_suite(site)


ARCHIVES: dict[str, Spoil] = {
    "refused": refused,
    "gone": answering(404),
    "forbidden": answering(403),
    "down": answering(500, 500, 500, 500),
    "cut at once": cut_at_once,
    "no archive": holding(b"<html>"),
    "damaged": holding(ARCHIVE.replace(b'{"text": "a"}', b'{"text": "x"}', 1)),
    "another version": holding(ARCHIVE, sha256="ab" * 32),
    "without the files": holding(zipped({"toy/README.md": b"top\n"})),
    "leading outside": holding(zipped({"../a/test.jsonl": TEST})),
}


@pytest.mark.parametrize("spoil", ARCHIVES.values(), ids=ARCHIVES.keys())
@pytest.mark.parametrize("used", [False, True], ids=["fresh", "used"])
def test_an_unusable_archive_leaves_the_disk_unchanged(site: Site, root: Path, spoil: Spoil, used: bool) -> None:
    suite = spoil(site)
    if used:
        (root / "other" / "empty").mkdir(parents=True)
        (root / "other" / "data.jsonl").write_bytes(TEST)
    before = listing(root.parent)
    assert fetch(suite).failures
    assert listing(root.parent) == before


HUBS: dict[str, Callable[[Hub], None]] = {
    "gone": lambda hub: hub.repositories.clear(),
    "down": lambda hub: hub.statuses.extend([500] * 4),
    "without the files": lambda hub: hub.repositories.update({"toys/tweets-mini": {"README.md": b"top\n"}}),
    "without its first file": lambda hub: hub.broken.update({f"/datasets/toys/tweets-mini/resolve/{OLD}/data/test-0.parquet": 500}),
    "with a forbidden file": lambda hub: hub.broken.update({f"/datasets/toys/tweets-mini/resolve/{OLD}/data/test-0.parquet": 403}),
}


@pytest.mark.parametrize("spoil", HUBS.values(), ids=HUBS.keys())
def test_an_unusable_hub_leaves_the_disk_unchanged(hub: Hub, root: Path, spoil: Callable[[Hub], None]) -> None:
    spoil(hub)
    before = listing(root.parent)
    assert fetch(hub_suite()).failures
    assert listing(root.parent) == before


def test_an_unreachable_hub_leaves_the_disk_unchanged(hub: Hub, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", refused_url())
    before = listing(root.parent)
    assert fetch(hub_suite()).failures
    assert listing(root.parent) == before


def test_nothing_is_written_before_the_first_response(site: Site, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite, seen = archive_suite(site), []
    answer = site.answer

    def look(path: str) -> tuple[bytes, dict[str, str]] | None:
        seen.append(root.exists())
        return answer(path)

    monkeypatch.setattr(site, "answer", look)
    assert not fetch(suite).failures
    assert seen == [False]


def test_a_failed_source_leaves_nothing_beside_the_files_of_another(site: Site, root: Path) -> None:
    good = archive_suite(site).tasks["a"]
    bad = make_task("b", Source(files={"test": "b/deep/test.jsonl"}, archive=f"{site.url}/gone.zip"))
    assert fetch(make_suite(bad, good)).failures
    assert {path for path in listing(root) if path.count("/") < 2} == {"toy", "toy/a", "toy/.gluepot-lock.json"}


def test_files_of_all_sources_are_reported_as_fetched(site: Site, hub: Hub) -> None:
    suite = make_suite(archive_suite(site).tasks["a"], hub_suite().tasks["tweets"])
    assert {file.status for file in fetch(suite).files} == {"fetched"}


def test_a_complete_folder_does_not_wait_for_the_lock(site: Site, root: Path) -> None:
    fetch(archive_suite(site))
    (root / ".downloads").mkdir()
    with (root / ".downloads/.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert {file.status for file in fetch(archive_suite(site)).files} == {"already here"}


def test_ctrl_c_leaves_the_disk_unchanged(site: Site, root: Path) -> None:
    def interrupt(name: str, done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    site.etags = False
    before = listing(root.parent)
    with pytest.raises(KeyboardInterrupt):
        fetch(archive_suite(site), watch=interrupt)
    assert listing(root.parent) == before


def test_a_complete_fetch_removes_its_downloads(site: Site, hub: Hub, root: Path) -> None:
    assert not fetch(archive_suite(site)).failures
    assert not fetch(hub_suite()).failures
    assert sorted(path.name for path in root.iterdir()) == ["toy"]


def test_keeps_only_resumable_downloads(site: Site, root: Path) -> None:
    site.breaks = [50_000, 0, 0, 0]
    assert fetch(archive_suite(site)).failures
    kept = [path for path, content in listing(root).items() if content]
    assert [path.rpartition("-")[2] for path in kept] == ["toy.zip.part", "toy.zip.part.json"]
    assert not fetch(archive_suite(site)).failures
    assert sorted(path.name for path in root.iterdir()) == ["toy"]


def test_concurrent_first_fetches_complete_without_leftovers(site: Site, root: Path) -> None:
    """Each fetches another task of one suite, and none may drop the files of another from the lock."""
    both = zipped({f"{name}/test.jsonl": TRAIN for name in "abcdefgh"})
    site.files["/toy.zip"] = both
    tasks = [make_task(name, Source(files={"test": f"{name}/test.jsonl"}, archive=f"{site.url}/toy.zip")) for name in "abcdefgh"]
    suite = make_suite(*tasks)
    threads = [threading.Thread(target=fetch, args=(suite, task)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    report = fetch(suite)
    assert not report.failures
    assert {file.status for file in report.files} == {"already here"}
    assert {file.sha256 for file in report.files} == {hashlib.sha256(TRAIN).hexdigest()}
    assert sorted(path.name for path in root.iterdir()) == ["toy"]
