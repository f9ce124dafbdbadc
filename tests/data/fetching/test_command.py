"""Output of `gluepot data fetch`."""

import hashlib
import json
from pathlib import Path

import pytest

from gluepot.records import Source

from .servers import Site  # type: ignore[import-not-found,unused-ignore]
from .toys import ARCHIVE, FILES, TRAIN, archive_suite, make_suite, make_task, refused_url, run  # type: ignore[import-not-found,unused-ignore]


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


def test_prints_one_line_per_file(site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(archive_suite(site), monkeypatch) == 0
    assert run(archive_suite(site), monkeypatch) == 0
    said = capsys.readouterr()
    assert "fetched        280.0 kB  toy/a/train.jsonl" in said.out
    assert "already here   280.0 kB  toy/a/train.jsonl" in said.out
    assert said.err == f"127.0.0.1/toy.zip: {len(ARCHIVE):,} bytes\n"


def test_shows_a_progress_bar_on_a_terminal(site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert run(archive_suite(site), monkeypatch) == 0
    said = capsys.readouterr().err
    assert "127.0.0.1/toy.zip" in said
    assert "━━━" in said


def test_a_suite_with_bundled_data_needs_no_fetching(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task = make_task("a", Source(files=FILES, archive=refused_url()), folder=str(tmp_path / "toy" / "a"))
    for name in FILES.values():
        path = tmp_path / "toy" / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    (tmp_path / "toy" / "suite.toml").touch()
    monkeypatch.setenv("GLUEPOT_SUITES", str(tmp_path))
    assert run(make_suite(task), monkeypatch) == 0
    assert "nothing to fetch" in capsys.readouterr().out
