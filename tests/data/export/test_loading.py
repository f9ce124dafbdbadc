"""Exports are loaded by `datasets` and validated by `mlcroissant`."""

import logging
from hashlib import sha256
from pathlib import Path

import pytest

from gluepot.data.examples import load_examples
from gluepot.data.export import export_suite
from gluepot.tasks.declarations import load_suite

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.mark.parametrize("format_", ["parquet", "jsonl"])
@pytest.mark.usefixtures("offline")
def test_datasets_loads_every_task_with_its_labels(tmp_path: Path, format_: str) -> None:
    from datasets import ClassLabel, load_dataset

    suite, out = load_suite("pocket"), tmp_path / "out"
    export_suite(suite, out, format_=format_)
    for name, task in suite.tasks.items():
        data = load_dataset(str(out), name, split="test")
        examples = load_examples(task, "test")
        assert data["id"][:] == [example.id for example in examples]
        target = data.features["target"]
        target = getattr(target, "feature", target)
        if isinstance(target, ClassLabel):
            assert target.names == task.labels
        found = [_decoded(target, value) for value in data["target"]]
        assert found == [_plain(example.target) for example in examples]


@pytest.mark.usefixtures("offline")
def test_datasets_loads_splits_by_hub_name_and_withheld_answers_as_none(faroe: Path, tmp_path: Path) -> None:
    from datasets import ClassLabel, get_dataset_config_names, load_dataset

    declaration = faroe / "reviews" / "task.toml"
    text = declaration.read_text().replace(
        'test = "reviews/test.jsonl" }', '"test-hard" = "reviews/test.jsonl" }\nunlabelled = ["test-hard"]'
    )
    declaration.write_text(text.replace("train = 8\ntest = 8", "train = 8"))
    for format_ in ("parquet", "jsonl"):
        out = tmp_path / format_
        export_suite(load_suite(faroe), out, format_=format_)
        assert get_dataset_config_names(str(out)) == ["reviews", "pairs"]
        data = load_dataset(str(out), "reviews")
        assert set(data) == {"train", "test_hard"}
        assert data["test_hard"]["target"][:] == [None] * 8
        assert data["test_hard"].features["target"] == ClassLabel(names=["good", "bad"])


@pytest.mark.parametrize("format_", ["parquet", "jsonl"])
def test_mlcroissant_validates_the_metadata_and_reads_every_record(tmp_path: Path, format_: str, caplog) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    suite, out = load_suite("pocket"), tmp_path / "out"
    export_suite(suite, out, format_=format_)
    dataset = mlcroissant.Dataset(str(out / "croissant.json"))
    issues = dataset.metadata.ctx.issues
    assert not issues.errors
    # suites declare no publication date, and none is invented
    assert [warning for warning in issues.warnings if "datePublished" not in warning] == []
    caplog.clear()
    for name, task in suite.tasks.items():
        records = list(dataset.records(name))
        assert [row[f"{name}/splits/name"] for row in dataset.records(f"{name}/splits")] == ["train", "validation", "test"]
        expected = [(hub, example) for split, hub in _SPLITS for example in load_examples(task, split)]
        found = {(_text(row[f"{name}/split"]), _text(row[f"{name}/id"])): row for row in records}
        assert len(found) == len(records) == len(expected)
        for hub, example in expected:
            row = found[hub, example.id]
            assert _text(row[f"{name}/target"]) == _plain(example.target)
            for field, value in example.inputs.items():
                assert _text(row[f"{name}/{field}"]) == _plain(value)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_the_metadata_has_the_checksum_of_every_table(faroe: Path, tmp_path: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    out = tmp_path / "out"
    export_suite(load_suite(faroe), out, format_="jsonl")
    dataset = mlcroissant.Dataset(str(out / "croissant.json"))
    found = {node.content_url: node.sha256 for node in dataset.metadata.file_objects}
    tables = ("reviews/train.jsonl", "reviews/test.jsonl", "pairs/test.jsonl")
    assert {Path(url).relative_to(out).as_posix() if Path(url).is_absolute() else url: digest for url, digest in found.items()} == {
        name: sha256((out / name).read_bytes()).hexdigest() for name in tables
    }
    assert not dataset.metadata.date_published


_SPLITS = (("train", "train"), ("dev", "validation"), ("test", "test"))


def _text(value):
    if isinstance(value, bytes):
        return value.decode()
    return [_text(entry) for entry in value] if isinstance(value, list) else value


def _plain(value):
    if isinstance(value, frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value


def _decoded(feature, value):
    if not hasattr(feature, "int2str"):
        return value
    return [feature.int2str(one) for one in value] if isinstance(value, list) else feature.int2str(value)
