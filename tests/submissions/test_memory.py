"""Peak memory of reading any submission stays below 300 MB."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gluepot.data.examples import load_examples
from gluepot.tasks.declarations import load_suite

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="needs Linux's account of a process's memory"),
]

MB = 1024**2
LIMIT = 300
RUN = """
import re, sys
from resource import RLIMIT_CPU, setrlimit
from gluepot.cli import main
setrlimit(RLIMIT_CPU, (60, 60))  # seconds of work: on a busy machine they take longer
code = main(sys.argv[1:])
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]
print("peak", peak, file=sys.stderr)
sys.exit(code)
"""
POCKET = load_suite("pocket")


def scored(*words: str | Path) -> tuple[dict[str, Any], int]:
    """Run the command and return its JSON document and its peak memory in megabytes."""
    command = [sys.executable, "-c", RUN, "score", *map(str, words), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1)
    return json.loads(done.stdout), int(done.stderr.split()[-1]) // 1024


def codes(document: dict[str, Any]) -> set[str]:
    return {problem["code"] for problem in document["problems"]} - {"more", "gave-up", "missing-id"}


@pytest.fixture
def big(tmp_path: Path) -> Iterator[Path]:
    """Path of a large file, which is removed after the test."""
    path = tmp_path / "stance-sv.jsonl"
    yield path
    path.unlink(missing_ok=True)


def fill(path: Path, unit: bytes, size: int = 500 * MB) -> Path:
    block = unit * (8 * MB // len(unit))
    with path.open("wb") as stream:
        while stream.tell() < size:
            stream.write(block)
    return path


@pytest.mark.parametrize(
    ("unit", "size", "wanted"),
    [
        (b"this is no JSON at all, and that many times over\n", 500, "broken-json"),
        (b"no end of a line ", 500, "line-too-long"),
        (b"{}\n", 40, "missing-id"),
        (b"1\n", 40, "wrong-type"),
        (b"\n", 40, "too-large"),
        (b"\xff\xfe\xfd\n", 40, "not-utf8"),
        (b'{"id": "nobody", "prediction": "x"}\n', 40, "unknown-id"),
        (b'{"a": 1, "a": 2}\n', 40, "duplicate-key"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_repeated_units_stay_below_the_memory_limit(big: Path, unit: bytes, size: int, wanted: str) -> None:
    document, peak = scored("pocket", fill(big, unit, size * MB))
    assert codes(document) == {wanted} - {"missing-id"}
    assert document["problems"]
    assert peak < LIMIT / 2


def test_sparse_file_of_500_mb_of_zeros(big: Path) -> None:
    with big.open("wb") as stream:
        stream.truncate(500 * MB)
    document, peak = scored("pocket", big)
    assert codes(document) == {"line-too-long"}
    assert peak < LIMIT / 2


def test_500_mb_of_valid_rows_for_a_task_paired_by_order(big: Path, real_data: Path) -> None:
    document, peak = scored("superlim/dalaj-ged-superlim", fill(big, b'{"prediction": "correct"}\n'))
    assert codes(document) == {"count-mismatch"}
    assert document["problems"][0]["message"] == "more than 104,371 rows for 4,371 items."
    assert peak < LIMIT


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 500_000 + b"]" * 500_000,
        b'{"id": 1, "x": [' + b'{"":0},' * 149_000 + b"{}]}",
        b'{"id": 1, "x": [' + b"[]," * 349_000 + b"{}]}",
        b"{" + b",".join(b'"%d":0' % n for n in range(100_000)) + b"}",
        b'{"id": "' + "😀".encode() + b"x" * 1_000_000 + b'"}',
    ],
    ids=["deep", "objects", "arrays", "keys", "long id"],
)
def test_lines_that_grow_when_parsed(big: Path, line: bytes) -> None:
    document, peak = scored("pocket", fill(big, line + b"\n", 24 * MB))
    assert document["problems"]
    assert peak < LIMIT


@pytest.mark.parametrize(
    ("task", "code"),
    [("stance-sv", "unknown-label"), ("analogy-sv", "too-long"), ("entities-da", "count-mismatch"), ("word-pairs-eu", "wrong-type")],
)
def test_long_strings_as_answers(tmp_path: Path, task: str, code: str) -> None:
    path = tmp_path / f"{task}.jsonl"
    with path.open("w") as stream:
        for example in load_examples(POCKET.tasks[task], "test"):
            answer = "😀" + "positive " * 110_000
            stream.write(
                json.dumps({"id": example.id, "prediction": [answer] if task == "entities-da" else answer}, ensure_ascii=False) + "\n"
            )
    document, peak = scored("pocket", path)
    assert codes(document) == {code}
    assert peak < LIMIT / 2


def test_texts_that_exceed_the_shared_budget(tmp_path: Path, real_data: Path) -> None:
    path = tmp_path / "sweanalogy.jsonl"
    text = "😀" + "x" * 19_000
    with path.open("w") as stream:
        for number in range(6_000):
            stream.write(f'{{"id": {number}, "prediction": "{number}{text}"}}\n')
    document, peak = scored("superlim", path)
    path.unlink()
    assert codes(document) == {"too-large"}
    assert peak < LIMIT


def test_zip_bombs_by_ratio_and_by_method(tmp_path: Path) -> None:
    for method, code in (
        (zipfile.ZIP_DEFLATED, "zip-bomb"),
        (zipfile.ZIP_BZIP2, "unsupported-compression"),
        (zipfile.ZIP_LZMA, "unsupported-compression"),
    ):
        path = tmp_path / "bomb.zip"
        with zipfile.ZipFile(path, "w", method, compresslevel=1) as archive, archive.open("stance-sv.jsonl", "w") as stream:
            for _ in range(400 if method == zipfile.ZIP_DEFLATED else 20):
                stream.write(bytes(MB))
        document, peak = scored("pocket", path)
        assert codes(document) == {code}
        assert peak < LIMIT / 2


def test_a_zip_with_a_huge_directory(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive:
        for number in range(100_000):
            archive.writestr(zipfile.ZipInfo(f"{number}.jsonl"), b"")
    document, peak = scored("pocket", tmp_path / "s.zip")
    assert codes(document) == {"zip-bomb"}
    assert peak < LIMIT / 2


def test_many_files_with_many_problems_each(tmp_path: Path) -> None:
    lines = b"".join(b'no\n[]\n{"a":1,"a":1}\n{"a":NaN}\n\xff\n{"id":"%d"}\n{"id":[]}\n{}\n' % number for number in range(1000))
    folder = tmp_path / "many"
    for task in POCKET.tasks:
        for split in ("train", "dev", "test"):
            (folder / task).mkdir(parents=True, exist_ok=True)
            (folder / task / f"{split}.jsonl").write_bytes(lines)
    document, peak = scored("pocket", folder)
    assert len(document["problems"]) < 21_000
    assert peak < LIMIT


def test_a_description_of_any_size(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_bytes(b'{"model": {"model_name": "x"}, "tasks": {' + b'"a": {}, ' * 20_000_000)
    document, peak = scored("superlim", tmp_path)
    (tmp_path / "s.json").unlink()
    assert codes(document) == {"too-large"}
    assert peak < LIMIT / 2


def test_a_table_without_lines_and_one_without_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    folder = tmp_path / "scandeval-da" / "talemaader"
    folder.mkdir(parents=True)
    (folder / "talemaader_leverance_2_uden_labels.csv").write_text("talemaade_udtryk\tA\tB\tC\tD\nnul\tw\tx\ty\tz\n")
    (folder / "talemaader_leverance_2_kun_labels.csv").write_text("udtryk_id\ttalemaade_udtryk\tkorrekt_def\n1\tnul\t0\n")
    for unit in (b"a,b,c", b'"a\n",'):
        path = tmp_path / "t.csv"
        fill(path, unit, 100 * MB)
        document, peak = scored("scandeval-da", path)
        path.unlink()
        assert document["problems"] or document["scores"][0]["reason"]
        assert peak < LIMIT / 2
