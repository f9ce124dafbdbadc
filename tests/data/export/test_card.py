"""Dataset card of an export, withheld answers and refused licences."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from gluepot.data.export import export_suite
from gluepot.data.export.layout import ExportedSuite
from gluepot.data.export.splits import find_splits, hub_names
from gluepot.errors import DataMissing, GluepotError
from gluepot.tasks.declarations import load_suite


def card(folder: Path) -> tuple[dict[str, Any], str]:
    _, header, text = (folder / "README.md").read_text(encoding="utf-8").split("---\n", maxsplit=2)
    return yaml.safe_load(header), text


def export(suite: Path | str, out: Path, **options: Any) -> ExportedSuite:
    return export_suite(load_suite(suite), out, format_="jsonl", **options)


def test_header_has_the_metadata_of_the_hub(faroe: Path, tmp_path: Path) -> None:
    export(faroe, tmp_path / "out")
    header, _ = card(tmp_path / "out")
    features = header.pop("dataset_info")
    assert header == {
        "pretty_name": "Faroe",
        "language": ["fo"],
        "multilinguality": ["monolingual"],
        "license": "cc0-1.0",
        "size_categories": ["n<1K"],
        "task_categories": ["text-classification"],
        "task_ids": ["semantic-similarity-scoring"],
        "tags": ["benchmark", "gluepot"],
        "configs": [
            {
                "config_name": "reviews",
                "data_files": [{"split": "train", "path": "reviews/train.jsonl"}, {"split": "test", "path": "reviews/test.jsonl"}],
            },
            {"config_name": "pairs", "data_files": [{"split": "test", "path": "pairs/test.jsonl"}]},
        ],
    }
    target = {"name": "target", "dtype": {"class_label": {"names": {"0": "good", "1": "bad"}}}}
    assert features[0]["features"] == [{"name": "id", "dtype": "string"}, {"name": "text", "dtype": "string"}, target]


def test_labels_and_languages_that_yaml_reads_as_booleans_stay_strings(faroe: Path, tmp_path: Path) -> None:
    for path in (faroe / "reviews" / "task.toml", faroe / "data" / "reviews" / "train.jsonl", faroe / "data" / "reviews" / "test.jsonl"):
        text = path.read_text().replace('"good"', '"yes"').replace('"bad"', '"no"').replace("good = ", "yes = ").replace("bad = ", "no = ")
        path.write_text(text.replace('language = "fo"', 'language = "no"'))
    export(faroe, tmp_path / "out")
    header, _ = card(tmp_path / "out")
    assert header["language"] == ["no", "fo"]
    assert header["multilinguality"] == ["multilingual"]
    assert header["dataset_info"][0]["features"][-1]["dtype"]["class_label"]["names"] == {"0": "yes", "1": "no"}


def test_text_has_sizes_metrics_sheet_licence_citation_and_usage(tmp_path: Path) -> None:
    export("pocket", tmp_path / "out")
    _, text = card(tmp_path / "out")
    assert "| train 60, validation 20, test 40 | alpha-nominal, accuracy, macro-f1 | Apache-2.0 |" in text
    assert "`validation` is what the suite calls `dev`" in text
    assert "120 well-known Danish idioms" in text
    assert 'load_dataset("pocket", "stance-sv", split="test")' in text
    assert "$ gluepot evaluate majority pocket" in text
    assert "[Apache-2.0](https://spdx.org/licenses/Apache-2.0.html): all tasks" in text
    assert "gluepot pocket suite, part of the gluepot package." in text
    assert text.index("## Changes") > text.index("## Pocket summaries")
    assert str(tmp_path) not in text


def test_withheld_answers_are_not_written_even_if_the_file_has_them(faroe: Path, tmp_path: Path) -> None:
    declaration = faroe / "reviews" / "task.toml"
    declaration.write_text(declaration.read_text().replace("[data.rows]", 'unlabelled = ["test"]\n\n[data.rows]'))
    exported = export(faroe, tmp_path / "out")
    assert [split.unlabelled for split in exported.tasks[0].splits] == [False, True]
    assert '"target": null' in (tmp_path / "out" / "reviews" / "test.jsonl").read_text()
    assert '"good"' not in (tmp_path / "out" / "reviews" / "test.jsonl").read_text()
    assert "`reviews`: `test` has no answers (`target` is null)" in card(tmp_path / "out")[1]


def test_fields_that_reveal_a_withheld_answer_are_not_written(faroe: Path, tmp_path: Path) -> None:
    declaration = faroe / "pairs" / "task.toml"
    text = declaration.read_text().replace("[fields]", '[fields]\njudgments = "all"')
    declaration.write_text(text.replace('test.jsonl" }', 'test.jsonl" }\nunlabelled = ["test"]'))
    data = faroe / "data" / "pairs" / "test.jsonl"
    data.write_text('{"a": "x", "b": "y", "score": 7, "all": [7, 7.5]}\n')
    export(faroe, tmp_path / "out")
    table = tmp_path / "out" / "pairs" / "test.jsonl"
    assert table.read_text() == '{"id": "0", "first": "x", "second": "y", "judgments": null, "target": null}\n'


def test_missing_data_is_named_and_left_out_only_on_request(faroe: Path, tmp_path: Path) -> None:
    (faroe / "data" / "reviews" / "train.jsonl").unlink()
    with pytest.raises(DataMissing, match=r"faroe/reviews: train(?s:.*)--available"):
        export(faroe, tmp_path / "out")
    exported = export(faroe, tmp_path / "out", available=True)
    assert exported.tasks[0].absent == ["train"]
    assert "`reviews`: `train` is declared and not part of this export." in card(tmp_path / "out")[1]


def test_a_prohibitive_licence_is_refused_before_anything_is_written(faroe: Path, tmp_path: Path) -> None:
    declaration = faroe / "pairs" / "task.toml"
    declaration.write_text(declaration.read_text().replace("CC0-1.0", "CC-BY-ND-4.0"))
    with pytest.raises(GluepotError, match=r"faroe/pairs \(CC-BY-ND-4.0\): it forbids adapted versions(?s:.*)--tasks reviews"):
        export(faroe, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    suite = load_suite(faroe)
    export(faroe, tmp_path / "out", tasks=[suite.tasks["reviews"]])
    assert "Not part of this export: `pairs`." in card(tmp_path / "out")[1]


def test_other_files_of_the_same_items_are_not_exported_twice() -> None:
    task = load_suite("scandeval-da").tasks["danske-talemaader"]
    here, absent = find_splits(task)
    assert set(here) | set(absent) == {"train", "val", "test"}


def test_two_splits_never_share_a_name() -> None:
    assert hub_names(["validation", "dev", "val"]) == {"validation": "validation", "dev": "dev", "val": "val"}
    assert hub_names(["a-b", "a_b", "a.b"]) == {"a-b": "a_b", "a_b": "a_b_2", "a.b": "a_b_3"}
    assert hub_names(["all", "full"]) == {"all": "full", "full": "full_2"}
