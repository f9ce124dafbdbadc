"""`gluepot measure`: published figures recomputed from raw records, and errors in records."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from gluepot.cli import main

SHARED = Path(__file__).parents[3] / "shared"
RECORDS = SHARED / "records" / "morocco"
PRINTED = SHARED / "reference" / "published-results.jsonl"


@pytest.mark.skipif(not RECORDS.is_dir() or not PRINTED.is_file(), reason="needs the published raw records in ../shared/records")
def test_raw_records_reproduce_every_published_throughput_and_memory(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "--from", str(RECORDS), "--json"]) == 0
    found = {(row["model"], row["task"]): row for row in json.loads(capfd.readouterr().out)["measurements"]}
    printed: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for line in PRINTED.read_text(encoding="utf-8").splitlines():
        cell = json.loads(line)
        if "Figure 1" in cell["source"] and (cell["model"], cell["task"]) in found:
            printed[cell["metric"]][cell["model"], cell["task"]] = cell["value"]
    assert sorted((metric, len(cells)) for metric, cells in printed.items()) == [("gpu_ram_gib", 18), ("throughput_rps", 18)]
    assert {key: round(found[key]["throughput"]) for key in printed["throughput_rps"]} == printed["throughput_rps"]
    assert {key: round(found[key]["memory_gib"], 2) for key in printed["gpu_ram_gib"]} == printed["gpu_ram_gib"]


def write_records(folder: Path, seconds: dict[str, float]) -> Path:
    folder.mkdir(parents=True)
    for name, length in seconds.items():
        rows = [{"timestamp": 5.0, "ram": 1024**3}, {"timestamp": 5.0 + length, "ram": 2 * 1024**3}]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def test_folders_name_model_and_task_and_ram_replaces_gpu_memory(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_records(tmp_path / "mine" / "nli", {"1_1_01": 10, "2000_32_01": 30})
    assert main(["measure", "--from", str(tmp_path), "--json"]) == 0
    [row] = json.loads(capfd.readouterr().out)["measurements"]
    assert (row["model"], row["task"], row["throughput"], row["start_up_seconds"]) == ("mine", "nli", 100, 10)
    assert (row["memory_gib"], row["memory_of"]) == (2, "ram")


def test_a_broken_repeat_is_reported_by_line_and_the_rest_is_computed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = write_records(tmp_path / "mine" / "nli", {"1_1_01": 10, "2000_32_01": 30})
    (folder / "2000_32_02.jsonl").write_text('{"timestamp": 1}\nnonsense')
    assert main(["measure", "--from", str(tmp_path)]) == 1
    out, err = capfd.readouterr()
    assert "100" in out
    assert f"{folder / '2000_32_02.jsonl'}, line 2: not JSON" in err


@pytest.mark.parametrize(("there", "code", "told"), [(False, 2, "no such folder"), (True, 1, "no raw records there")])
def test_reports_a_folder_without_records(tmp_path: Path, capfd: pytest.CaptureFixture[str], there: bool, code: int, told: str) -> None:
    place = tmp_path if there else tmp_path / "nowhere"
    assert main(["measure", "--from", str(place)]) == code
    assert told in capfd.readouterr().err
