"""Faults in the tables of a maker are reported together, with file and line, and nothing is written."""

import json
from pathlib import Path

import pytest

from gluepot.build.maker import MAKERS
from gluepot.cli import main


def told(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["build", *words]) == 2
    return capsys.readouterr().err


def test_reports_all_csv_faults_with_the_first_lines_of_their_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'idiom,definition,falsk1\na,b,c\n\nd,e\n"x\ny",z,w,q\ng,,h\nok,"two\nlines",h\n'
    (tmp_path / "bad.csv").write_text(text, "utf-8")
    (tmp_path / "bad.jsonl").write_text('{"idiom": "a", "definition": "b"}\nnot json\n[1]\n', "utf-8")
    err = told(["idioms", str(tmp_path / "bad.csv"), str(tmp_path / "bad.jsonl"), "--to", str(tmp_path / "suite" / "x")], capsys)
    lines = [line.partition(f"{tmp_path}/")[2].partition(".")[0] + line.partition("bad.")[2] for line in err.splitlines()[1:]]
    assert [line.split(":")[:2] for line in lines] == [
        ["badcsv", "4"],
        ["badcsv", "5"],
        ["badcsv", "7"],
        ["badjsonl", "2"],
        ["badjsonl", "3"],
    ]
    assert "4 cells down to line 6 where the header has 3" in err
    assert not (tmp_path / "suite").exists()


def test_split_reports_the_faults_of_all_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("train", "test"):
        (tmp_path / f"{name}.csv").write_text("id,text,label\n1,a\n2,b,x\n3,c,y,z\n", "utf-8")
    err = told(["split", str(tmp_path / "train.csv"), str(tmp_path / "test.csv"), "--to", str(tmp_path / "suite" / "x")], capsys)
    assert err.startswith("gluepot: 4 faults in the input")
    assert all(f"{name}.csv:{line}: " in err for name in ("train", "test") for line in (2, 4))


def test_split_points_to_the_file_and_line_of_every_item(tmp_path: Path) -> None:
    for name, first in (("train", "a"), ("dev", "b"), ("test", "c")):
        rows = "".join(f'{first}{number},"{first} {number}\nword",{"xy"[number % 2]}\n' for number in range(4))
        (tmp_path / f"{name}.csv").write_text("id,text,label\n" + rows, "utf-8")
    inputs = [str(tmp_path / f"{name}.csv") for name in ("train", "dev", "test")]
    assert main(["build", "split", *inputs, "--to", str(tmp_path / "suite" / "x"), "--license", "CC0-1.0"]) == 0
    rows = [json.loads(line) for line in (tmp_path / "suite/data/x/dev.jsonl").read_text("utf-8").splitlines()]
    assert [row["source"] for row in rows] == ["dev.csv:2", "dev.csv:4", "dev.csv:6", "dev.csv:8"]


def test_reports_an_unclosed_quotation_mark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "open.csv").write_text('idiom,definition\na,b\nc,"d\n' + "e,f\n" * 40_000, "utf-8")
    assert "open.csv:" in told(["idioms", str(tmp_path / "open.csv"), "--to", str(tmp_path / "suite" / "x")], capsys)


def test_reports_the_line_of_a_treebank_that_is_not_utf_8(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["# text = å", "1\tå\tå\tNOUN\t_\t_\t0\t_\t_\t_", ""]
    (tmp_path / "a.conllu").write_bytes("\n".join([*lines, "# text = x"]).encode() + "\n1\tå\n".encode("latin-1"))
    assert "a.conllu:5: not UTF-8" in told(["scala", str(tmp_path / "a.conllu"), "--to", str(tmp_path / "suite" / "x")], capsys)


def test_lists_makers_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "--list", "--json"]) == 0
    makers = {maker["name"]: maker for maker in json.loads(capsys.readouterr().out)["makers"]}
    assert set(makers) == set(MAKERS)
    assert makers["scala"]["options"][0] == {
        "name": "rules",
        "help": MAKERS["scala"].options[0].help,
        "default": "today",
        "choices": ["today", "2022"],
    }
