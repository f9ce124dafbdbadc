"""Exported tasks are read back unchanged."""

from pathlib import Path

import pytest
from tests.data.export.reading_back import read_back, without_nulls

from gluepot.data.examples import load_examples
from gluepot.data.export import export_suite
from gluepot.data.export.columns import Column, to_type
from gluepot.data.export.splits import find_splits
from gluepot.data.folders import available_splits, data_root
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import load_suite

FORMATS = ("parquet", "jsonl")
PUBLISHED = ("basqueglue", "russian-superglue", "scandeval-da", "superlim", "supersim")


@pytest.mark.parametrize("format_", FORMATS)
def test_every_kind_of_task_is_read_back_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format_: str) -> None:
    suite = load_suite("pocket")
    before = {(name, split): load_examples(task, split) for name, task in suite.tasks.items() for split in task.data.files}
    exported = export_suite(suite, tmp_path / "out", format_=format_)
    assert {one.task.kind for one in exported.tasks} == set(KINDS)
    for one in exported.tasks:
        for split, examples in read_back(one, tmp_path / "out", format_, monkeypatch).items():
            assert examples == before[one.task.name, split], (one.task.path, split)


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_suite_is_read_back_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    suite = load_suite(name)
    tasks = [task for task in suite.tasks.values() if available_splits(task) and task.license != "LicenseRef-unknown"]
    if not tasks:
        pytest.skip(f"no data of {name} in {data_root()}")
    before = {(task.name, split): load_examples(task, split) for task in tasks for split in find_splits(task)[0]}
    out = tmp_path / "out"
    exported = export_suite(suite, out, tasks, available=True, accepted=["LicenseRef-STS-Benchmark"])
    assert exported.tasks
    for one in exported.tasks:
        found = read_back(one, out, "parquet", monkeypatch)
        for split in one.splits:
            expected = [without_nulls(example) for example in before[one.task.name, split.name]]
            assert found[split.name] == expected, (one.task.path, split.name)


def test_nan_becomes_null_and_sets_are_sorted() -> None:
    assert to_type([1.5, float("nan")], Column("judgments", "float64", 1)) == [1.5, None]
    assert to_type(frozenset({3, 1}), Column("target", "int64", 1)) == [1, 3]
    assert to_type("one", Column("target", "string", 1)) == ["one"]
    assert to_type({"b": 1}, Column("extra", "string")) == '{"b": 1}'
