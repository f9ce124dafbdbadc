"""End-to-end measurements: a program, an adapter, figures recomputed from records, failing programs."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gluepot.cli import main

ANSWER = """
import json, sys
size = int(sys.argv[sys.argv.index("--batch-size") + 1])
batch = []
def answer():
    for item in batch: print(json.dumps({"id": item["id"], "prediction": item["labels"][0]}), flush=True)
    batch.clear()
for line in sys.stdin:
    batch.append(json.loads(line))
    if len(batch) == size: answer()
answer()
"""


def measure(tmp_path: Path, capfd: pytest.CaptureFixture[str], text: str, *words: str) -> tuple[int, dict[str, Any]]:
    (tmp_path / "model.py").write_text(text)
    model = f"command:{sys.executable} -S {tmp_path / 'model.py'}"
    more = ["--out", str(tmp_path / "out"), "--records", "64", "--batch-size", "8", "--repeats", "2", "--json", *words]
    code = main(["measure", model, "pocket/stance-sv", *more])
    out = capfd.readouterr().out
    return code, json.loads(out)["measurements"][0]


def test_a_program_is_measured_and_its_records_reproduce_the_figures(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, row = measure(tmp_path, capfd, ANSWER, "--price-per-hour", "3.6")
    assert (code, row["failure"], row["method"], row["task"], row["suite"]) == (0, "", "slope", "stance-sv", "pocket")
    assert row["throughput"] > 0
    assert row["cost_per_million"] == pytest.approx(1000 / row["throughput"])
    assert 0.002 < row["memory_gib"] < 0.1
    assert 0 < row["start_up_seconds"] < 60
    assert 0 < row["latency_p50_ms"] <= row["latency_p95_ms"]
    assert (row["quality"]["n"], row["quality"]["metric"]) == (40, "alpha-nominal")
    assert row["profile"]["cores"] >= 1
    assert row["paper"]["memory_gib"] > 0
    assert main(["measure", "--from", str(tmp_path / "out"), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["measurements"] == [row]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import sys\nprint('no weights', file=sys.stderr)\nsys.exit(3)", "ended with code 3. It said: no weights"),
        ("for line in __import__('sys').stdin: pass", "answered 0 of 64 records"),
        ("import sys\nfor line in sys.stdin: print('neutral', flush=True)", "line 1 of the program's output: not JSON"),
        ("import sys\nfor line in sys.stdin: sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", "not UTF-8"),
        (ANSWER.replace('item["id"]', '"7"'), "expected"),
    ],
    ids=["ends badly", "is silent", "no JSON", "no UTF-8", "wrong item"],
)
def test_a_failing_program_is_reported_with_its_reason(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    monkeypatch.setattr("gluepot.efficiency.measurement.measuring.PATIENCE", 5.0)
    code, row = measure(tmp_path, capfd, text)
    assert code == 1
    assert told in row["failure"]
    assert row["throughput"] is None


def test_a_program_that_answers_at_the_end_is_measured_by_the_total_time(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gluepot.efficiency.measurement.measuring.PATIENCE", 0.5)
    monkeypatch.setattr("gluepot.efficiency.measurement.latency.PATIENCE", 0.2)
    text = (
        ANSWER.replace("flush=True", "flush=False")
        .replace("if len(batch) == size: answer()", "time.sleep(0.002)")
        .replace("json, sys", "json, sys, time")
    )
    code, row = measure(tmp_path, capfd, text, "--repeats", "1")
    assert code == 0
    assert any("throughput is of the whole time" in note for note in row["notes"])
    assert any("no latency" in note for note in row["notes"])
    assert row["throughput"] is None or row["throughput"] < 2000


def test_an_adapter_is_measured_as_a_program(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["--out", str(tmp_path), "--records", "64", "--repeats", "1", "--json"]
    assert main(["measure", "majority", "pocket/stance-sv", *words]) == 0
    [row] = json.loads(capfd.readouterr().out)["measurements"]
    assert row["model"] == "majority"
    assert row["quality"]["value"] is not None
    assert not any("cannot be kept" in note for note in row["notes"])
    assert (tmp_path / "majority" / "stance-sv" / "1_1_01.jsonl").is_file()


@pytest.mark.parametrize("words", [[], ["majority"], ["majority", "pocket/stance-sv", "--from", "x"]])
def test_requires_a_model_and_a_task_or_records(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", *words]) == 2
    assert "gluepot measure" in capfd.readouterr().err


def test_rejects_an_output_folder_with_foreign_files(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "majority" / "stance-sv").mkdir(parents=True)
    (tmp_path / "majority" / "stance-sv" / "1_1_01.jsonl").write_text("{}")
    assert main(["measure", "majority", "pocket/stance-sv", "--out", str(tmp_path)]) == 1
    assert "something else than a measurement of ours" in capfd.readouterr().err
