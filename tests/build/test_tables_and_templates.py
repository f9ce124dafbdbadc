"""Makers for templates, word lists and tables, run on real inputs where available."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gluepot.cli import main


def make(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Run a build and return the JSON document that it prints and all rows of the task."""
    capsys.readouterr()
    assert main(["build", *map(str, words), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    data = [Path(file) for file in document["files"] if file.endswith(".jsonl")]
    return document, [json.loads(line) | {"split": path.stem} for path in data for line in path.read_text("utf-8").splitlines()]


def left(document: dict[str, Any], name: str) -> int:
    return next(step["left"] for step in document["filters"] if step["name"] == name)


def test_winogender_reproduces_the_published_file_in_order(corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document, rows = make(capsys, "winogender", corpora / "winogender" / "templates.tsv", "--to", tmp_path / "s" / "t")
    published = [line.split("\t") for line in (corpora / "winogender" / "all_sentences.tsv").read_text("utf-8").splitlines()[1:]]
    assert [[row["id"], row["text"]] for row in rows] == published
    assert (len(rows), document["licence"]) == (720, "MIT")


def test_swedish_templates_reproduce_the_published_items(
    corpora: Path, real_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--to", tmp_path / "s" / "t", "--language", "sv")
    _, rows = make(capsys, "winogender", corpora / "swewinogender-templates" / "templates.tsv", *words)
    published = (real_data / "superlim" / "swewinogender" / "swewinogender_test.jsonl").read_text("utf-8").splitlines()
    theirs = {(row["premise"], row["hypothesis"], row["label"]) for row in map(json.loads, published)}
    assert {(row["text"], row["pair"], row["target"]) for row in rows} == theirs
    assert len(rows) == 624
    assert set(Counter(row["group"] for row in rows).values()) == {3}


def test_rejects_a_template_whose_sentences_differ_in_more_than_the_pronoun(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    templates = tmp_path / "t.tsv"
    templates.write_text("premise\tentailed\tneutral\nHan såg $NOM och $ACC.\ta\tb\n", "utf-8")
    assert main(["build", "winogender", str(templates), "--to", str(tmp_path / "s" / "t"), "--language", "sv"]) == 2
    assert "t.tsv:2: the sentences of 1-entailment must differ in one word" in capsys.readouterr().err


def test_unimorph_words_are_counted_and_stay_in_one_split(corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--features", "N;INDF;NOM;SG>N;INDF;NOM;PL", "--to", tmp_path / "s" / "t", "--pairs", 20)
    document, rows = make(capsys, "analogy", corpora / "unimorph-dan" / "dan", *words)
    assert (document["filters"][0]["left"], left(document, "one word")) == (3022, 2663)
    sides: dict[str, str] = {}
    for row in rows:
        for word in (row["a"], row["b"], row["c"], row["target"]):
            assert sides.setdefault(word, row["split"]) == row["split"]
        assert row["target"] not in (row["a"], row["b"], row["c"])
    assert len(rows) == 3 * 20 * 19


def test_a_paradigm_cell_with_two_forms_for_most_lemmas_is_refused(
    corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["build", "analogy", str(corpora / "unimorph-dan" / "dan"), "--features", "N;DEF;NOM;SG>N;INDF;NOM;PL"]
    assert main([*words, "--to", str(tmp_path / "s" / "t")]) == 2
    assert "3,029 of 3,031 lemmas have several forms" in capsys.readouterr().err


def test_splitting_by_item_shares_answers_between_splits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("a\tb\n" + "".join(f"w{n}\tv{n}\n" for n in range(12)), "utf-8")
    _, rows = make(capsys, "analogy", pairs, "--split-by", "item", "--to", tmp_path / "s" / "t")
    answers = {split: {row["target"] for row in rows if row["split"] == split} for split in ("train", "test")}
    assert len(rows) == 12 * 11
    assert answers["test"] <= answers["train"]


def test_synonyms_have_one_right_answer_not_predictable_from_position_or_length(
    corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document, rows = make(capsys, "synonyms", corpora / "thesaurus-sv" / "th_sv_SE.dat", "--to", tmp_path / "s" / "t")
    assert document["filters"][0] == {"name": "entries", "left": 16047}
    near: dict[str, set[str]] = {}
    lines = (corpora / "thesaurus-sv" / "th_sv_SE.dat").read_text("latin-1").splitlines()[1:]
    for head, meaning in zip(lines[::2], lines[1::2], strict=True):
        for synonym in meaning.split("|")[1:]:
            near.setdefault(head.rpartition("|")[0], set()).add(synonym)
            near.setdefault(synonym, set()).add(head.rpartition("|")[0])
    for row in rows:
        answer = row["options"][row["target"]]
        assert answer in near[row["text"]]
        assert not {step for one in near[row["text"]] for step in near[one]} & set(row["options"]) - {answer}
    places = Counter(row["target"] for row in rows)
    assert max(places.values()) - min(places.values()) <= 1
    assert all(artefact["low"] <= artefact["chance"] for artefact in document["artefacts"])


def test_matching_options_are_all_answers_of_the_category_in_a_fixed_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    faq = tmp_path / "faq.tsv"
    faq.write_text("category\tquestion\tanswer\n" + "".join(f"c{n // 4}\tHvad {n}?\tSvar {n}.\n" for n in range(40)), "utf-8")
    _, rows = make(capsys, "matching", faq, "--to", tmp_path / "s" / "t")
    for row in rows:
        number = int(row["text"].split()[1][:-1])
        assert row["options"][row["target"]] == f"Svar {number}."
    assert len({tuple(row["options"]) for row in rows}) == len({row["group"] for row in rows}) == 10


@pytest.mark.parametrize("cut", ["sklearn", "pandas"])
def test_cuts_match_sklearn_and_pandas(tmp_path: Path, capsys: pytest.CaptureFixture[str], cut: str) -> None:
    reviews = tmp_path / "reviews.tsv"
    reviews.write_text("text\tlabel\n" + "".join(f"Text {n} um ting\t{n % 2}\n" for n in range(60)), "utf-8")
    words = ("--cut", cut, "--sizes", "20,5,10", "--seed", 7, "--to", tmp_path / "s" / "t")
    _, rows = make(capsys, "split", reviews, *words)
    found = {split: [int(row["text"].split()[1]) for row in rows if row["split"] == split] for split in ("train", "dev", "test")}
    if cut == "sklearn":
        from sklearn.model_selection import train_test_split

        rest, test = train_test_split(range(60), test_size=10, random_state=7)
        assert (found["test"], set(found["train"]) <= set(rest)) == (test, True)
    else:
        pandas = pytest.importorskip("pandas")

        frame = pandas.DataFrame({"n": range(60)})
        dev = frame.sample(n=5, random_state=7)
        test = frame.drop(dev.index).sample(n=10, random_state=7)
        train = frame.drop(dev.index).drop(test.index).sample(n=20, random_state=7)
        assert [found["dev"], found["test"], found["train"]] == [list(dev.n), list(test.n), list(train.n)]
