"""Import of MOROCCO timing folders: recorded measurements next to the printed figures."""

import json
from pathlib import Path

import pytest


def write_model(folder: Path, tasks: dict[str, tuple[float, float]]) -> Path:
    for task, (start, load) in tasks.items():
        (folder / task).mkdir(parents=True)
        for repeat in range(1, 6):
            for name, seconds in (("1_1", start), ("2000_32", load)):
                rows = [{"timestamp": 5.0, "gpu_ram": None}, {"timestamp": 5.0 + seconds, "gpu_ram": 2 * 1024**3}]
                (folder / task / f"{name}_{repeat:02}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def bring(*paths: Path):
    from gluepot.board.importing import import_paths

    return import_paths(paths)


def test_model_folder_is_one_entry_under_the_name_in_the_paper(board, tmp_path):
    from gluepot.board.models import Measurement

    report = bring(write_model(tmp_path / "rubert", {"rcb": (10, 30), "danetqa": (10, 50)}))
    assert [(line.kind, line.system, line.measured) for line in report.lines] == [("timing", "RuBERT plain", 6)]
    row = Measurement.objects.get(task="RCB", quantity="throughput")
    assert (row.value, row.low, row.high, row.reported) == (100, 100, 100, 295)
    assert (row.profile, row.note) == ("MOROCCO 2021, one GPU (as recorded)", "")
    assert Measurement.objects.get(task="DaNetQA", quantity="memory").value == 2.0
    assert Measurement.objects.get(task="DaNetQA", quantity="startup").reported is None


def test_recorded_and_printed_figures_are_both_current(board, tmp_path):
    from gluepot.board.importing import import_published
    from gluepot.board.models import Measurement

    bring(write_model(tmp_path / "rubert", {"rcb": (10, 30)}))
    import_published()
    rows = Measurement.objects.filter(entry__system__name="RuBERT plain", task="RCB", quantity="throughput", current=True)
    assert {row.profile: row.value for row in rows} == {
        "MOROCCO 2021, one GPU (as recorded)": 100,
        "MOROCCO 2021, one GPU (as printed)": 295,
    }


def test_unknown_task_and_malformed_file_are_reported_and_the_rest_is_imported(board, tmp_path):
    folder = write_model(tmp_path / "mine", {"rcb": (10, 30), "nosuch": (1, 2)})
    (folder / "rcb" / "2000_32_05.jsonl").write_text("{")
    report = bring(folder)
    assert sorted(problem.code for problem in report.problems) == ["odd-timing", "unknown-task"]
    assert [(line.system, line.measured) for line in report.lines] == [("mine", 3)]
    from gluepot.board.models import Measurement

    assert Measurement.objects.get(quantity="throughput").note == "4 of 5 repeats"


@pytest.mark.parametrize("height", [0, 1, 2])
def test_same_files_are_one_entry_from_any_parent_folder(board, tmp_path, height):
    folder = write_model(tmp_path / "all" / "rubert", {"rcb": (10, 30)})
    bring(folder)
    places = [folder / "rcb", folder, folder.parent]
    assert [line.state for line in bring(places[height]).lines] == ["already there"]
