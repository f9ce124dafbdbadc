"""Makers for annotated corpora, run on real inputs where available: counts and separation of splits."""

import json
from pathlib import Path

import pytest
from tests.build.test_tables_and_templates import left, make

from gluepot.build.artefacts.features import jaccard
from gluepot.build.artefacts.rules import Threshold
from gluepot.build.reading.edits import read_corrections
from gluepot.build.sentences import sentence_spans
from gluepot.build.workbench import Workbench
from gluepot.cli import main
from gluepot.records import Example


def apart(rows: list[dict[str, object]], *fields: str) -> bool:
    """Whether no value of the given fields occurs in two splits."""
    sides: dict[object, object] = {}
    return all(sides.setdefault(row[field], row["split"]) == row["split"] for row in rows for field in fields)


def in_sample(rows: list[dict[str, object]], feature: object) -> float:
    """Return the accuracy of the best threshold on the items that it was fitted to."""
    examples = [Example(str(row["id"]), row, row["target"]) for row in rows]
    rule = Threshold("", feature)  # type: ignore[arg-type]
    rule.fit(examples)
    return sum(a == e.target for a, e in zip(rule.predict(examples), examples, strict=True)) / len(examples)


@pytest.mark.parametrize("by", ["word", "sentence"])
def test_wic_has_the_expected_counts_and_separates_splits_by_word_or_sentence(
    corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], by: str
) -> None:
    inputs = sorted((corpora / "semcor-en").glob("*.tsv"))
    document, rows = make(capsys, "wic", *inputs, "--split-by", by, "--per-word-train", 6, "--to", tmp_path / "s" / "t")
    assert [step["left"] for step in document["filters"]][:8] == [17389, 15423, 4539, 933, 283_666, 316_084, 35_950, 31_661]
    assert apart(rows, *(["group"] if by == "word" else ["text", "pair"]))
    assert all(size["labels"]["true"] == size["labels"]["false"] for size in document["splits"].values())
    assert all(row["text"] != row["pair"] for row in rows)


def test_wic_of_nouns_alone(corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = sorted((corpora / "semcor-en").glob("*.tsv"))
    document, _ = make(capsys, "wic", *inputs, "--pos", "n", "--dry-run", "--to", tmp_path / "s" / "t")
    assert [left(document, name) for name in ("pairs of one sense", "pairs of two senses", "neither parent nor sister")] == [
        19701,
        17158,
        11548,
    ]


@pytest.mark.parametrize(("name", "questions", "over"), [("norquad/wiki_test.json", 234, 8), ("xquad/xquad.de.json", 1190, 31)])
def test_overlap_does_not_predict_the_label_of_matched_pairs(
    corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, questions: int, over: int
) -> None:
    document, rows = make(capsys, "qnli", corpora / name, "--to", tmp_path / "s" / "t")
    assert left(document, "questions") == questions
    assert left(document, "with the answer in one sentence") == questions - over
    assert apart(rows, "group", "pair", "text")
    assert in_sample(rows, lambda e: jaccard(e.inputs["text"], e.inputs["pair"])) <= 0.60
    _, published = make(capsys, "qnli", corpora / name, "--negatives", "published", "--to", tmp_path / "s" / "p")
    assert in_sample(published, lambda e: jaccard(e.inputs["text"], e.inputs["pair"])) > 0.60


@pytest.mark.parametrize(("distance", "true", "false"), [("same", 573, 3086), ("next", 768, 6189)])
def test_coreference_has_the_expected_counts_and_valid_spans(
    corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], distance: str, true: int, false: int
) -> None:
    inputs = sorted((corpora / "gum-news").glob("*.conllu"))
    document, rows = make(capsys, "coref", *inputs, "--distance", distance, "--to", tmp_path / "s" / "t")
    assert [step["left"] for step in document["filters"]][:5] == [411, 2688, 1405, true, false]
    assert apart(rows, "group")
    from rapidfuzz import fuzz

    assert in_sample(rows, lambda e: fuzz.ratio(e.inputs["first"], e.inputs["second"])) <= 0.69
    for row in rows:
        for side in ("first", "second"):
            assert row["text"][row[f"{side}-start"] : row[f"{side}-end"]] == row[side]
            assert row["text"].split()[row[f"{side}-word"]].find(row[side].split()[0]) >= 0


def test_diagnostic_sheet_names_the_known_differing_rows(real_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets = (real_data / "superlim/swediagnostics/swediagnostics_test.jsonl", real_data / "russian-superglue/LiDiRus/LiDiRus.jsonl")
    make(capsys, "diagnostic", *sets, "--to", tmp_path / "s" / "t")
    sheet = (tmp_path / "s" / "t" / "sheet.md").read_text("utf-8")
    for sentence in (
        "labels differ in row 233;",
        "tags differ in row 832;",
        "test.jsonl: 544 of 552 pairs",
        "LiDiRus.jsonl: 531 of 552 pairs",
    ):
        assert sentence in sheet


def test_learners_errors_regenerate_most_published_items(
    corpora: Path, real_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = [corpora / "ud-swedish-swell" / f"sv_swell-ud-test{end}.conllu" for end in ("", "-trg")]
    document, rows = make(capsys, "errors", *inputs, "--balance", "no", "--to", tmp_path / "s" / "t")
    assert (left(document, "sentences"), left(document, "with an error")) == (510, 381)
    ours = {row["text"] for row in rows if row["target"] == "incorrect"}
    lines = [line for path in (real_data / "superlim/dalaj-ged-superlim").glob("*.jsonl") for line in path.read_text("utf-8").splitlines()]
    assert sum(row["sentence"] in ours for row in map(json.loads, lines)) >= 115
    assert apart(rows, "group")


def test_m2_error_spans_lie_within_their_text(corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document, rows = make(capsys, "errors", corpora / "ua-gec" / "gec-only.test.m2", "--to", tmp_path / "s" / "t")
    assert left(document, "sentences") == 2862
    assert all(0 <= row["start"] <= row["end"] <= len(row["text"]) for row in rows)


def test_splits_sentences_in_scripts_without_spaces() -> None:
    text = "東京は大きい。人が多い！「行こう。」と言った。"
    assert [text[a:b] for a, b in sentence_spans(text)] == ["東京は大きい。", "人が多い！", "「行こう。」", "と言った。"]


EDITS = ["x 2", "2 1", "1 99", f"1 {'9' * 5000}", "-1 -1", "1", "1 2|||R:VERB", "-1 -1|||noop", "1 2"]
"""Edits of an M2 file, of which the last two are valid."""


def test_reports_invalid_edit_spans_with_their_lines(tmp_path: Path) -> None:
    """Regression: non-numeric spans caused a traceback; reversed spans and spans beyond the sentence produced invented sentences."""
    lines = [
        edit if edit == "1 2|||R:VERB" else f"{edit}{'' if '|' in edit else '|||R:VERB'}|||lesi|||REQUIRED|||-NONE-|||0" for edit in EDITS
    ]
    path = tmp_path / "errors.m2"
    path.write_text("".join(f"S Eg las bók .\nA {line}\n\n" for line in lines), encoding="utf-8")
    bench = Workbench([path], {}, 0)
    found = read_corrections(bench)
    assert [fault for fault in bench.faults if "errors.m2" not in fault] == []
    assert [int(fault.split(":")[1]) for fault in bench.faults] == [2, 5, 8, 11, 14, 17, 20]
    assert [" ".join(sentence.tokens) for sentence in found[-2:]] == ["Eg las bók .", "Eg lesi bók ."]


def test_rejects_an_invalid_sense_pattern(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "senses.csv").write_text("text,start,end,lemma,sense\nEin bók er her,4,7,bók,bók.1\n", encoding="utf-8")
    words = ["build", "wic", str(tmp_path / "senses.csv"), "--to", str(tmp_path / "s" / "t"), "--language", "fo"]
    assert main([*words, "--coarse", "["]) == 2
    assert "--coarse [: no pattern (unterminated character set" in capsys.readouterr().err
