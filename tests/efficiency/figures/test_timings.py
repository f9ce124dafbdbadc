"""Formulas of timings on worked examples, and malformed folders."""

import json
from pathlib import Path

import pytest

from gluepot.efficiency.figures.timings import REPEATS, read_timing
from gluepot.efficiency.repeats import is_timing_folder, timing_folders

GIB = 1024**3


def write_repeat(folder: Path, name: str, seconds: float, gpu: float | None = 2.0, samples: int = 3) -> Path:
    """Write a repeat of the given length with evenly spaced samples, the first of them without GPU memory."""
    folder.mkdir(parents=True, exist_ok=True)
    step = seconds / (samples - 1)
    rows = [
        {
            "timestamp": 1000 + step * number,
            "cpu_usage": 1.0,
            "ram": 5,
            "gpu_usage": None,
            "gpu_ram": (gpu and (number > 0) * gpu * GIB) or None,
        }
        for number in range(samples)
    ]
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Timing folder with a start-up of 10 s and a load of 30 s, that is 2,000 records in 20 s."""
    place = tmp_path / "rubert" / "rcb"
    for repeat, (start, load, gpu) in enumerate([(10, 30, 2.0), (9, 29, 2.5), (11, 31, 2.25), (10, 30, 2.25), (10, 32, 2.25)], start=1):
        write_repeat(place, f"1_1_{repeat:02}", start, gpu)
        write_repeat(place, f"2000_32_{repeat:02}", load, 7.0)
    write_repeat(place, "1000_8_01", 500)
    return place


def test_throughput_memory_and_start_follow_the_paper(folder):
    timing = read_timing(folder)
    assert (timing.model, timing.task, timing.problems) == ("rubert", "rcb", [])
    assert timing.throughput.value == pytest.approx(2000 / 20)
    assert (timing.memory.value, timing.startup.value) == (2.25, 10)


def test_the_interval_contains_the_value_within_the_range_of_repeats(folder):
    found = read_timing(folder).throughput
    assert 2000 / 23 <= found.low <= found.value <= found.high <= 2000 / 18
    assert (found.repeats, found.spread, found.stable) == (REPEATS, pytest.approx(22 / 19), True)


def test_repeats_that_differ_by_more_than_a_quarter_are_unstable(folder):
    write_repeat(folder, "2000_32_05", 60)
    assert not read_timing(folder).throughput.stable


def test_a_single_repeat_has_no_interval(tmp_path):
    write_repeat(tmp_path / "m" / "rcb", "1_1_01", 10)
    write_repeat(tmp_path / "m" / "rcb", "2000_32_01", 30)
    found = read_timing(tmp_path / "m" / "rcb").throughput
    assert (found.value, found.low, found.high, found.repeats) == (100, None, None, 1)


def test_without_starts_nothing_and_without_loads_no_throughput(folder):
    for path in folder.glob("2000_*"):
        path.unlink()
    timing = read_timing(folder)
    assert timing.throughput is None
    assert timing.memory is not None
    assert "no throughput" in timing.problems[0][2]
    for path in folder.glob("1_1_*"):
        path.unlink()
    assert read_timing(folder).startup is None


def test_a_load_no_longer_than_a_start_gives_no_throughput(tmp_path):
    for name, seconds in (("1_1_01", 30), ("1_1_02", 30), ("2000_32_01", 10), ("2000_32_02", 10)):
        write_repeat(tmp_path / "m" / "rcb", name, seconds)
    timing = read_timing(tmp_path / "m" / "rcb")
    assert timing.throughput is None
    assert "took no longer than one" in timing.problems[0][2]


def test_a_machine_without_gpu_has_ram_only(tmp_path):
    write_repeat(tmp_path / "m" / "rcb", "1_1_01", 10, None)
    timing = read_timing(tmp_path / "m" / "rcb")
    assert timing.memory is None
    assert timing.ram.value == 5 / GIB


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("", None, "fewer than two samples"),
        ('{"timestamp": 1}\n', None, "fewer than two samples"),
        ('{"timestamp": 1}\nnot json\n', 2, "not JSON"),
        ('{"timestamp": 1}\n[1]\n', 2, "an array"),
        ('{"timestamp": NaN}\n', 1, "NaN"),
        ('{"timestamp": "now"}\n', 1, "Expected `float`"),
        ('{"time": 1}\n', 1, "missing required field `timestamp`"),
        ('{"timestamp": 1, "gpu_ram": -5}\n', 1, "Expected `float` >= 0"),
        ('{"timestamp": 2}\n{"timestamp": 1}\n', 2, "backwards"),
        ('{"timestamp": 1}\n{"timestamp": 2, "timestamp": 3}\n', 2, "occurs twice"),
        ("[" * 100_000, 1, "nested too deeply"),
    ],
)
def test_a_malformed_repeat_is_reported_and_left_out(folder, text, line, told):
    (folder / "2000_32_05.jsonl").write_text(text, encoding="utf-8")
    timing = read_timing(folder)
    assert timing.throughput.repeats == 4
    [(file, where, sentence)] = timing.problems
    assert (file, where) == ("rcb/2000_32_05.jsonl", line)
    assert told in sentence


def test_files_of_another_name_are_reported_and_left_out(folder):
    write_repeat(folder, "warmup", 3)
    (folder / "README.md").write_text("about")
    timing = read_timing(folder)
    assert [file for file, _, _ in timing.problems] == ["rcb/warmup.jsonl"]


def test_links_are_not_followed(folder, tmp_path):
    outside = write_repeat(tmp_path / "elsewhere", "x", 1)
    (folder / "2000_32_06.jsonl").symlink_to(outside)
    assert read_timing(folder).throughput.repeats == 5


def test_timing_folders_are_found_from_any_parent(folder):
    assert is_timing_folder(folder)
    for place in (folder, folder.parent, folder.parent.parent):
        assert timing_folders(place) == [folder]
    assert timing_folders(folder / "1_1_01.jsonl") == []
