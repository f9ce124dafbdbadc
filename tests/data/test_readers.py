"""Readers of official formats, each on a few synthetic rows in the publisher's format, quirks included."""

import json
from pathlib import Path

import pytest

from gluepot.errors import GluepotError
from gluepot.tasks.formats import READERS, Record


def read(name: str, *files: Path, split: str = "test") -> list[Record]:
    return list(READERS[name](files, split))


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_json_lines_survive_crlf_blank_lines_a_byte_order_mark_and_no_last_newline(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"a": 1}\r\n\r\n{"a" : "r\xc3\xb6d"}')
    assert read("jsonl", path) == [{"a": 1}, {"a": "röd"}]


def test_a_line_separator_inside_a_text_does_not_end_the_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"a": "ett\u2028två\x85tre"}\n')
    assert read("jsonl", path) == [{"a": "ett\u2028två\x85tre"}]


def test_a_broken_line_is_named_with_its_number(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"a": 1}\n{"a": \n')
    with pytest.raises(GluepotError, match=r"a\.jsonl:2: not JSON"):
        read("jsonl", path)


def test_several_files_are_read_in_order(tmp_path: Path) -> None:
    first, second = write(tmp_path / "1.jsonl", '{"n": 1}\n'), write(tmp_path / "2.jsonl", '{"n": 2}\n')
    assert read("jsonl", first, second) == [{"n": 1}, {"n": 2}]


def test_options_and_a_letter_become_a_list_and_a_number(tmp_path: Path) -> None:
    rows = [{"id": "q", "instruction": "?", "option_a": "x", "option_b": "y", "option_c": None, "answer": "B"}]
    (record,) = read("json-options", write(tmp_path / "a.json", json.dumps(rows)))
    assert (record["options"], record["label"]) == (["x", "y"], 1)


def test_muserc_yields_one_record_per_question(tmp_path: Path) -> None:
    answers = [{"idx": 4, "text": "да", "label": 1}, {"idx": 5, "text": "нет", "label": 0}]
    row = {"idx": 7, "passage": {"text": "Текст.", "questions": [{"idx": 3, "question": "Что?", "answers": answers}]}}
    (record,) = read("muserc", write(tmp_path / "a.jsonl", json.dumps(row)))
    assert (record["id"], record["passage_id"], record["right"]) == ("7/3", 7, [0])


def test_muserc_without_answers_has_none(tmp_path: Path) -> None:
    row = {"idx": 7, "passage": {"text": "Текст.", "questions": [{"idx": 3, "question": "Что?", "answers": [{"idx": 4, "text": "да"}]}]}}
    (record,) = read("muserc", write(tmp_path / "a.jsonl", json.dumps(row)))
    assert record["right"] is None


def test_rucos_names_each_entity_once_and_an_item_by_its_passage(tmp_path: Path) -> None:
    text = "Анна и Пётр. Анна ушла."
    entities = [{"start": 0, "end": 4}, {"start": 7, "end": 11}, {"start": 13, "end": 17}]
    query = {
        "idx": 0,
        "query": "@placeholder ушла.",
        "answers": [{"start": 0, "end": 4, "text": "Анна"}, {"start": 13, "end": 17, "text": "Анна"}],
    }
    (record,) = read(
        "rucos", write(tmp_path / "a.jsonl", json.dumps({"idx": 9, "passage": {"text": text, "entities": entities}, "qas": [query]}))
    )
    assert (record["id"], record["entities"], record["answers"]) == ("9", ["Анна", "Пётр"], ["Анна", "Анна"])


@pytest.mark.parametrize("index", [2, 3], ids=["counted from 0", "counted from 1"])
def test_word_spans_get_character_offsets_from_0_or_1_based_indices(tmp_path: Path, index: int) -> None:
    row = {
        "text": "Mari etxean dago , etxean",
        "target": {"span1_text": "Mari", "span1_index": 0, "span2_text": "dago", "span2_index": index},
    }
    (record,) = read("word-spans", write(tmp_path / "a.jsonl", json.dumps(row)))
    assert (record["span1_start"], record["span1_end"]) == (0, 4)
    assert record["text"][record["span2_start"] : record["span2_end"]] == "dago"


def test_idioms_are_joined_from_two_tables_by_expression(tmp_path: Path) -> None:
    options = write(tmp_path / "uden.csv", "talemaade_udtryk\tA\tB\tC\tD\nnul\tw\tx\ty\tz\nto\ta\tb\tc\td\n")
    labels = write(
        tmp_path / "kun.csv", "udtryk_id\ttalemaade_udtryk\tkorrekt_def\tfalsk1\tfalsk2\tfalsk3\n2\tto\t3\t0\t1\t2\n1\tnul\t0\t1\t2\t3\n"
    )
    records = read("talemaader", options, labels, split="all")
    assert [(r["id"], r["expression"], r["options"][r["label"]]) for r in records] == [("1", "nul", "w"), ("2", "to", "d")]


def test_reads_the_supersim_table_with_its_padded_header(tmp_path: Path) -> None:
    table = "Word 1\tWord 2\tAnno 1 \tAnno 2\t Average\nflicka\tbarn\t10\t8\t9.0\n"
    (record,) = read("supersim-tsv", write(tmp_path / "gold.tsv", table))
    assert record == {"word_1": "flicka", "word_2": "barn", "judgments": [10.0, 8.0], "label": 9.0}


def test_parquet_choice_extracts_the_options_from_the_text(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    text = "Hvad er hovedstaden?\nTænk dig om.\nSvarmuligheder:\na. Odense\nb. København"
    write_table(arrow.table({"text": [text], "label": ["b"]}), tmp_path / "a.parquet")
    (record,) = read("parquet-choice", tmp_path / "a.parquet")
    assert (record["text"], record["options"], record["label"]) == ("Hvad er hovedstaden?\nTænk dig om.", ["Odense", "København"], 1)


def test_parus_choices_become_options(tmp_path: Path) -> None:
    row = {"premise": "Шёл дождь.", "choice1": "Я промок.", "choice2": "Я высох.", "question": "effect", "label": 0, "idx": 0}
    (record,) = read("parus", write(tmp_path / "a.jsonl", json.dumps(row)))
    assert record["options"] == ["Я промок.", "Я высох."]
