"""Loading of examples from records: unique ids, slices, split names and gold answers."""

from pathlib import Path

import pytest
from tests.tasks.own_suite import write_faroe

from gluepot.data.examples import load_examples
from gluepot.errors import DataMissing, GluepotError, WrongUse
from gluepot.tasks.declarations import find, load_suite


def task(path: str):
    return find(path)[1]


def put(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    return tmp_path


def test_duplicate_ids_are_numbered(data: Path) -> None:
    row = '{"id": "h1", "item": "%s", "candidate_answers": ["a", "b"], "label": 1, "meta": {}}\n'
    put(data, "superlim/swesat-synonyms/swesat-synonyms_test.jsonl", row % "x" + row % "y")
    assert [e.id for e in load_examples(task("superlim/swesat-synonyms"), "test")] == ["h1", "h1#2"]


def test_rows_without_an_id_get_their_number(data: Path) -> None:
    put(data, "superlim/dalaj-ged-superlim/dalaj-ged-superlim_test.jsonl", '{"sentence": "Hej.", "label": "correct"}\n' * 2)
    assert [e.id for e in load_examples(task("superlim/dalaj-ged-superlim"), "test")] == ["0", "1"]


def test_an_item_is_in_its_coarse_and_all_its_fine_slices(data: Path) -> None:
    row = '{"idx": "3", "label": "entailment", "sentence1": "а", "sentence2": "б", "logic": "Negation;Conditionals"}'
    put(data, "russian-superglue/LiDiRus/LiDiRus.jsonl", row)
    (example,) = load_examples(task("russian-superglue/LiDiRus"), "test")
    assert example.tags == ("logic", "logic/Negation", "logic/Conditionals")


def test_a_split_is_found_by_any_of_its_names(data: Path) -> None:
    put(data, "basqueglue/vaxx/val.jsonl", '{"idx": 0, "label": "FAVOR", "text": "Bai."}\n')
    for name in ("val", "dev", "validation"):
        assert len(load_examples(task("basqueglue/vaxx"), name)) == 1
    with pytest.raises(WrongUse, match=r"no split 'tset'\. Did you mean 'test'"):
        load_examples(task("basqueglue/vaxx"), "tset")


def test_true_and_false_become_labels(data: Path) -> None:
    put(data, "russian-superglue/DaNetQA/val.jsonl", '{"question": "Да?", "passage": "Да.", "label": true, "idx": 5}\n')
    (example,) = load_examples(task("russian-superglue/DaNetQA"), "val")
    assert (example.id, example.target) == ("5", "true")


def test_a_split_without_answers_has_none(data: Path) -> None:
    put(data, "russian-superglue/TERRa/test.jsonl", '{"premise": "а", "hypothesis": "б", "idx": 0}\r\n')
    (example,) = load_examples(task("russian-superglue/TERRa"), "test")
    assert example.target is None


def test_lower_case_tags_of_published_data_are_accepted(data: Path) -> None:
    put(data, "scandeval-da/dane/test.jsonl", '{"tokens": ["Anna", "sover"], "ner_tags": ["b-per", "o"]}\n')
    (example,) = load_examples(task("scandeval-da/dane"), "test")
    assert example.target == ("B-PER", "O")


def test_an_unknown_gold_label_is_named_with_its_record(data: Path) -> None:
    put(data, "basqueglue/vaxx/test.jsonl", '{"idx": 0, "label": "FAVOUR", "text": "Bai."}\n')
    with pytest.raises(GluepotError, match=r"record 1: 'FAVOUR' is not a label of this task. Did you mean 'FAVOR'\?"):
        load_examples(task("basqueglue/vaxx"), "test")


def test_missing_files_name_the_fetch_command(data: Path) -> None:
    with pytest.raises(DataMissing, match="gluepot data fetch superlim"):
        load_examples(task("superlim/swenli"), "test")


def test_reports_a_declared_field_that_records_lack(tmp_path: Path) -> None:
    faroe = write_faroe(tmp_path)
    path = faroe / "reviews" / "task.toml"
    path.write_text(path.read_text().replace('text = "text"', 'text = "txt"'))
    with pytest.raises(GluepotError, match=r"record 1: the field for 'text' is missing: \[fields\] takes it from 'txt'"):
        load_examples(load_suite(faroe).tasks["reviews"], "test")
