"""Import of a folder with forty valid and invalid files: the text and the JSON account for each of them."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import gluepot
from gluepot.cli import main

SAMPLE = Path(gluepot.__file__).parent / "suites" / "pocket" / "sample"


def furnish(folder: Path) -> int:
    """Fill a folder with a submission, broken archives, malformed tables, votes and unrelated files; return the number of files."""
    shutil.copytree(SAMPLE, folder / "good")
    for number in range(6):
        (folder / f"broken-{number}.zip").write_bytes(b"no archive")
    (folder / "records").mkdir()
    for number in range(6):
        (folder / "records" / f"odd-{number}.jsonl").write_text("{broken\n")
    (folder / "notes" / "deep").mkdir(parents=True)
    for number in range(10):
        (folder / "notes" / f"{number}.txt").write_text("nothing")
    for number in range(4):
        (folder / "notes" / "deep" / f"{number}.pdf").write_bytes(b"%PDF")
    (folder / "votes.tsv").write_text("INPUT:text\tOUTPUT:label\tASSIGNMENT:worker_id\n")
    (folder / "empty.jsonl").write_text("")
    more = 0
    while sum(path.is_file() for path in folder.rglob("*")) < 40:
        (folder / "notes" / f"more-{more}.md").write_text("x")
        more += 1
    return sum(path.is_file() for path in folder.rglob("*"))


@pytest.fixture
def imported(board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    count = furnish(tmp_path / "forty")

    def run(*more: str) -> tuple[int, int, str, str]:
        code = main(["board", "import", str(tmp_path / "forty"), "--dir", str(board), *more])
        said = capsys.readouterr()
        return count, code, said.out, said.err

    return run


def test_every_file_is_accounted_for(imported: Any) -> None:
    count, code, out, err = imported()
    assert code == 1
    assert f"{count} files: " in out
    assert "broken-5.zip: " in err
    assert "odd-5.jsonl" in err
    assert "not recognised: 10 files" not in err or "notes" in err
    assert "gluepot human" in err
    count, _code, out, _err = imported("--json")
    files = json.loads(out)["files"]
    assert len({file["file"] for file in files}) == len(files) == count
    states = Counter(file["state"] for file in files)
    assert states["already there"] >= 1, "imported by the first run"
    assert states["refused"] >= 12
    assert states["not recognised"] >= 15
    assert all(file["problem"] for file in files if file["state"] == "refused")
