"""Formats of votes: detection by content, parsing into the same votes, and errors."""

import json
import zipfile
from pathlib import Path

import pytest

from gluepot.errors import GluepotError, WrongUse
from gluepot.people.formats import read_votes
from gluepot.people.human import human_report
from gluepot.people.votes import VoteTable
from gluepot.tasks.declarations import find

LABEL_STUDIO = [
    {
        "id": 7,
        "data": {"id": "x", "text": "one"},
        "annotations": [
            {"completed_by": {"id": 1, "email": "ann@example.org"}, "lead_time": 4.5, "result": [_choice]},
            {"completed_by": 2, "was_cancelled": True, "result": [_choice]},
        ],
    }
    for _choice in [{"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["yes"]}}]
]
PRODIGY = [
    {
        "text": "one",
        "_input_hash": 5,
        "options": [{"id": "yes"}, {"id": "no"}],
        "accept": ["yes"],
        "answer": "accept",
        "_annotator_id": "d-ann",
    },
    {"text": "one", "_input_hash": 5, "options": [{"id": "yes"}, {"id": "no"}], "accept": [], "answer": "ignore", "_annotator_id": "d-bo"},
]
ARGILLA = [
    {
        "id": "x",
        "fields": {"text": "one"},
        "responses": {
            "label": [{"value": "yes", "user_id": "ann", "status": "submitted"}, {"value": "no", "user_id": "bo", "status": "draft"}]
        },
    }
]
POTATO = "instance_id,user_id,label:::yes,label:::no\nx,ann,true,\nx,bo,,true\n"
TOLOKA = "\r\n".join(
    [
        "INPUT:text;OUTPUT:result;;GOLDEN:result;ASSIGNMENT:worker_id;ASSIGNMENT:status",
        '"a ""b""\nc";yes;;;ann;APPROVED',
        "d;no;;;bo;REJECTED",
        "e;no;;no;bo;APPROVED",
    ]
)


def votes(table: VoteTable) -> list[tuple[str, str, object]]:
    return [(vote.item, vote.rater, vote.value) for vote in table.counted]


@pytest.mark.parametrize(
    ("name", "text", "taken_for", "found", "left_out"),
    [
        ("ls.json", json.dumps(LABEL_STUDIO), "Label Studio", [("x", "1", "yes")], 1),
        ("p.jsonl", "\n".join(map(json.dumps, PRODIGY)), "Prodigy", [("5", "d-ann", "yes")], 1),
        ("a.json", json.dumps(ARGILLA), "Argilla", [("x", "ann", "yes")], 1),
        ("potato.csv", POTATO, "Potato", [("x", "ann", "yes"), ("x", "bo", "no")], 0),
        ("toloka.tsv", TOLOKA, "Toloka", [('a "b"\nc', "ann", "yes")], 1),
        ("long.csv", "item;rater;value\nx;ann;yes\nx;bo;\n", "long table", [("x", "ann", "yes")], 1),
        ("wide.tsv", "id\ta1\ta2\nx\t3\t\ny\t4\t5\n", "wide table", [("x", "a1", "3"), ("y", "a1", "4"), ("y", "a2", "5")], 0),
        ("v.jsonl", '{"item": "x", "rater": "ann", "value": 2}\n', "votes.jsonl", [("x", "ann", 2)], 0),
    ],
)
def test_a_file_is_recognised(tmp_path: Path, name: str, text: str, taken_for: str, found: list[object], left_out: int) -> None:
    (tmp_path / name).write_bytes(text.encode())
    table = read_votes([tmp_path / name])
    assert table.format == taken_for
    assert votes(table) == found
    assert table.left_out.total() == left_out


def test_doccano_needs_one_file_per_annotator(tmp_path: Path) -> None:
    line = json.dumps({"id": 1, "text": "one", "label": ["yes"]})
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr("ann.jsonl", line)
        archive.writestr("bo.jsonl", line)
    assert votes(read_votes([tmp_path / "d.zip"])) == [("1", "ann", "yes"), ("1", "bo", "yes")]
    (tmp_path / "all.jsonl").write_text(line)
    with pytest.raises(WrongUse, match="does not tell who annotated"):
        read_votes([tmp_path / "all.jsonl"])


def test_email_addresses_of_annotators_are_not_stored(tmp_path: Path) -> None:
    (tmp_path / "ls.json").write_text(json.dumps(LABEL_STUDIO))
    assert "example.org" not in str(read_votes([tmp_path / "ls.json"]))


def test_several_questions_require_a_choice(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("item,rater,tone,topic\nx,ann,warm,sea\n")
    with pytest.raises(WrongUse, match="--answer names one of tone, topic"):
        read_votes([tmp_path / "t.csv"])
    assert votes(read_votes([tmp_path / "t.csv"], "topic")) == [("x", "ann", "sea")]


def test_native_votes_without_a_question_belong_to_the_declared_one(tmp_path: Path) -> None:
    """PARus declares the column of its publisher's file, which native votes lack."""
    lines = [{"item": "1", "rater": "a", "value": 0}, {"item": "1", "rater": "b", "value": 0, "question": "other"}]
    path = tmp_path / "votes.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    table = read_votes([path], "variant")
    assert [vote.rater for vote in table.votes] == ["a"]
    assert table.left_out == {"votes on other questions": 1}


def test_items_are_matched_only_if_all_texts_are_equal(tmp_path: Path) -> None:
    suite, task = find("pocket/entailment-ru")
    assert task is not None
    from gluepot.data.examples import load_examples

    rows = load_examples(task, "test")[:5]
    theirs = [task.fields["text"], task.fields["pair"]]
    whole = "\t".join([*theirs, "rater", "label"]) + "\n"
    whole += "".join(f"<b>{e.inputs['text']}</b>\t{e.inputs['pair']} \tann\t{e.target}\n" for e in rows)
    (tmp_path / "v.tsv").write_text(whole)
    report, _ = human_report(suite, task, [tmp_path / "v.tsv"], resamples=20)
    assert (report.join.items_found, report.join.gold_rows_found) == (5, 5)
    (tmp_path / "v.tsv").write_text(whole.replace(theirs[1], "other", 1))
    with pytest.raises(WrongUse, match="no item of the votes"):
        human_report(suite, task, [tmp_path / "v.tsv"], resamples=20)


def test_malformed_files_are_errors(tmp_path: Path) -> None:
    (tmp_path / "v.jsonl").write_text('{"item": "x"\n')
    with pytest.raises(GluepotError, match=r"v\.jsonl:1"):
        read_votes([tmp_path / "v.jsonl"])
    (tmp_path / "b.csv").write_bytes(b"item,rater,value\nx,ann,\xff\n")
    with pytest.raises(GluepotError, match="not UTF-8"):
        read_votes([tmp_path / "b.csv"])
