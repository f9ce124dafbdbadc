"""Checksum files in the format of `sha256sum`, and texts that differ in form only."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluepot.data.checksums import SUMS, declared_sums, differs_in_form, digest_of, format_sums, parse_sums
from gluepot.data.fetching.origins import fits, wanted_files
from gluepot.errors import WrongUse
from gluepot.tasks.declarations import load_suites
from gluepot.tasks.search_path import BUNDLED

SUM = "ab" * 32


@given(st.dictionaries(st.from_regex(r"[a-zæ][a-z ]{0,5}/[a-z]\.jsonl", fullmatch=True), st.from_regex(r"[0-9a-f]{64}", fullmatch=True)))
def test_formatted_checksums_are_parsed_back(sums: dict[str, str]) -> None:
    assert parse_sums(format_sums(sums, "a head\nof two lines"), "own") == sums


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum")
def test_sha256sum_accepts_formatted_checksums(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text("{}\n")
    (tmp_path / SUMS).write_text(format_sums({"train.jsonl": digest_of(tmp_path / "train.jsonl")}, "official"))
    subprocess.run(["sha256sum", "--check", "--strict", SUMS], cwd=tmp_path, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("abc  a.jsonl", "own:2: a sha256"),
        (f"{SUM} a.jsonl", "own:2: a sha256"),
        (f"{SUM}  ../a.jsonl", "own:2: ../a.jsonl leads out"),
        (f"{SUM}  /etc/passwd", "own:2: /etc/passwd leads out"),
    ],
)
def test_an_odd_line_is_named_by_its_number(line: str, told: str) -> None:
    with pytest.raises(WrongUse, match=told):
        parse_sums(f"# head\n{line}\n", "own")


TEXT = b'{"a": 1}\n{"b": 2}\n'


@pytest.mark.parametrize(
    ("here", "form"),
    [
        (TEXT.replace(b"\n", b"\r\n"), True),
        (b"\xef\xbb\xbf" + TEXT, True),
        (TEXT.rstrip(), True),
        (b"\xef\xbb\xbf" + TEXT.replace(b"\n", b"\r\n").rstrip(), True),
        (TEXT.replace(b"1", b"2"), False),
        (TEXT + b"\n\n", False),
        (TEXT.replace(b" ", b""), False),
    ],
)
def test_only_line_ends_byte_order_mark_and_last_newline_are_form(tmp_path: Path, here: bytes, form: bool) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(here)
    assert differs_in_form(path, hashlib.sha256(TEXT).hexdigest()) is form


def test_binary_files_do_not_differ_in_form(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(TEXT.rstrip())
    assert not differs_in_form(path, hashlib.sha256(TEXT).hexdigest())


@pytest.mark.parametrize("suite", [suite.name for suite in load_suites()])
def test_every_declared_checksum_is_of_a_file_that_a_task_reads(suite: str) -> None:
    tasks = [task for one in load_suites() for task in one.tasks.values()]
    wants = [want for task in tasks for source in task.sources for want in wanted_files(task, source) if want.folder == suite]
    assert [path for path in declared_sums(BUNDLED / suite) if not any(fits(path, want.pattern) for want in wants)] == []


def test_the_official_suites_declare_their_checksums() -> None:
    assert {path.parent.name for path in BUNDLED.glob(f"*/{SUMS}")} >= {"superlim", "basqueglue", "russian-superglue", "scandeval-da"}
