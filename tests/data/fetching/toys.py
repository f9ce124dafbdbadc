"""Toy suites to fetch, and helpers to inspect the result."""

import io
import socket
import tarfile
import zipfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pytest

from gluepot.cli import data_fetch
from gluepot.data.fetching.reports import FetchReport
from gluepot.records import Overall, Source, Suite, Task

from .servers import Site  # type: ignore[import-not-found,unused-ignore]

TRAIN, TEST = b'{"text": "a"}\n' * 20_000, b'{"text": "b"}\n' * 10
OLD, NEW = "0" * 39 + "1", "0" * 39 + "2"


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
    """Return a zip archive; stored by default, so that a byte of a member can be damaged in place."""
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


def statuses(report: FetchReport) -> dict[str, str]:
    return {file.path: file.status for file in report.files}


def tree(root: Path) -> dict[str, bytes]:
    """Return every file below the data folder except the lock on downloads."""
    paths = [path for path in sorted(root.rglob("*")) if path.is_file() and path.name != ".lock"]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def run(suite: Suite, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Run the command on an undeclared suite."""
    monkeypatch.setattr(data_fetch, "find", lambda path: (suite, None))
    parser = ArgumentParser()
    data_fetch.configure(parser)
    return data_fetch.run(parser.parse_args(["toy", *words]))


def only(report: FetchReport) -> str:
    """Return the message of the only failure."""
    assert len(report.failures) == 1, report.failures
    return str(report.failures[0])


def refused_url() -> str:
    """Return a URL on which no server listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"
