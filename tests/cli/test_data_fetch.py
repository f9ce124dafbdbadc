"""`gluepot data fetch` as a separate process, with a user-defined suite and a server that hosts its archive."""

import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.data.fetching.servers import Site, serve
from tests.tasks.own_suite import write_faroe

FILES = ("reviews/train.jsonl", "reviews/test.jsonl", "pairs/test.jsonl")


class Fetch:
    """The suite, its server and the command."""

    def __init__(self, folder: Path, site: Site) -> None:
        self.suite, self.site, self.data = write_faroe(folder), site, folder / "fetched"
        self.content = {name: (self.suite / "data" / name).read_bytes() for name in FILES}
        for task in ("reviews", "pairs"):
            declaration = self.suite / task / "task.toml"
            declaration.write_text(declaration.read_text().replace("[data]\n", f'[data]\narchive = "{site.url}/faroe.zip"\n'))
        for path in sorted((self.suite / "data").rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        (self.suite / "data").rmdir()
        self.offer(self.content)

    def offer(self, content: dict[str, bytes]) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, data in content.items():
                archive.writestr(name, data)
        self.site.files["/faroe.zip"] = packed.getvalue()

    def run(self, *words: str) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "gluepot", "data", *words]
        environment = {**os.environ, "GLUEPOT_DATA": str(self.data), "NO_PROXY": "127.0.0.1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    def here(self) -> set[str]:
        return {path.relative_to(self.data).as_posix() for path in self.data.rglob("*") if path.is_file() and path.name[0] != "."}


@pytest.fixture
def faroe(tmp_path: Path) -> Iterator[Fetch]:
    with serve(Site()) as site:
        yield Fetch(tmp_path, site)


def test_files_are_fetched_once_and_listed_one_per_line(faroe: Fetch) -> None:
    code, out, err = faroe.run("fetch", str(faroe.suite))
    assert (code, len(out.splitlines())) == (0, 3), err
    assert all(line.startswith("fetched") for line in out.splitlines())
    assert {name: (faroe.data / "faroe" / name).read_bytes() for name in FILES} == faroe.content
    asked = len(faroe.site.gets())
    code, out, _ = faroe.run("fetch", str(faroe.suite))
    assert code == 0
    assert all(line.startswith("already here") for line in out.splitlines())
    assert len(faroe.site.gets()) == asked, "what is here is not asked for again"


def test_fetching_one_task_fetches_only_its_files(faroe: Fetch) -> None:
    code, _, err = faroe.run("fetch", f"{faroe.suite}/pairs")
    assert (code, faroe.here()) == (0, {"faroe/pairs/test.jsonl"}), err


def test_json_is_one_document_with_checksums(faroe: Fetch) -> None:
    code, out, _ = faroe.run("fetch", str(faroe.suite), "--json")
    found = {file["path"]: (file["sha256"], file["bytes"], file["status"]) for file in json.loads(out)["files"]}
    assert code == 0
    for name, data in faroe.content.items():
        assert found[f"faroe/{name}"] == (hashlib.sha256(data).hexdigest(), len(data), "fetched")


def test_a_changed_archive_is_refused_until_it_is_forced(faroe: Fetch) -> None:
    assert faroe.run("fetch", str(faroe.suite))[0] == 0
    faroe.offer({name: data + b"\n" for name, data in faroe.content.items()})
    (faroe.data / "faroe" / "pairs" / "test.jsonl").unlink()
    code, _, err = faroe.run("fetch", str(faroe.suite))
    assert code == 1
    assert "has changed" in err
    assert "faroe/pairs/test.jsonl" not in faroe.here()
    assert faroe.run("fetch", str(faroe.suite), "--force")[0] == 0
    assert (faroe.data / "faroe" / "pairs" / "test.jsonl").read_bytes() == faroe.content["pairs/test.jsonl"] + b"\n"


def test_a_missing_archive_leaves_nothing_behind(faroe: Fetch) -> None:
    faroe.site.files.clear()
    code, out, err = faroe.run("fetch", str(faroe.suite))
    assert code == 3
    assert "is not there (404)" in err
    assert "still missing: faroe/reviews/train.jsonl" in out
    assert not faroe.data.exists()


def test_an_unknown_source_and_suite_are_wrong_use(faroe: Fetch) -> None:
    assert faroe.run("fetch", str(faroe.suite), "--source", "post")[0] == 2
    code, _, err = faroe.run("fetch", "superlin")
    assert code == 2
    assert "Did you mean 'superlim'?" in err
