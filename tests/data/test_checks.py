"""Checks of data: each finds its defect in a small task with it, says nothing without it, and finds what is known of the real files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gluepot.cli import main
from gluepot.data.checks import CHECKS, CODES, Finding, check_material, check_suite, read_material
from gluepot.data.checks.accepted import Accepted, accept, load_accepted
from gluepot.data.checks.characters import ESCAPE, MOJIBAKE
from gluepot.data.checks.words import COMMON
from gluepot.errors import WrongUse
from gluepot.records import Slices, Source, Suite, Task
from gluepot.tasks.declarations import find, load_suites

Rows = list[dict[str, Any]]
Check = Callable[..., dict[str, Finding]]
LONG = "en lång mening om katten som satt på mattan hela dagen"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


def declare(kind: str, fields: dict[str, str], splits: dict[str, int], **more: Any) -> Task:
    """A task of our own whose published sizes are those given."""
    source = {key: more.pop(key) for key in ("reader", "counts", "unlabelled") if key in more}
    data = Source(files={split: f"{split}.jsonl" for split in splits}, rows=splits, **source)
    facts = {"language": "sv", "domain": ["news"], "metrics": [], "license": "CC-BY-4.0", "citation": "Vi (2024).", "link": "x"}
    return Task(title="Own", summary="Own.", kind=kind, data=data, fields=fields, suite="own", name="task", **facts, **more)


@pytest.fixture
def look(data: Path) -> Check:
    """Writes the splits of a task, checks it and returns the findings by their code, the last of each."""

    def check(kind: str, fields: dict[str, str], splits: dict[str, Rows], **more: Any) -> dict[str, Finding]:
        for split, rows in splits.items():
            (data / f"{split}.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        task = declare(kind, fields, {split: len(rows) for split, rows in splits.items()}, **more)
        findings = check_material(read_material(task))
        assert all(finding.code in CODES for finding in findings)
        return {finding.code: finding for finding in findings if finding.code not in ("sheet-incomplete", "balance")}

    return check


CLASSES = ("classification", {"text": "text", "target": "label"})
PAIRS = ("pair-classification", {"text": "premise", "pair": "hypothesis", "target": "label"})
JUDGED = ("word-pair", {"first": "w1", "second": "w2", "target": "label"})
TAGGED = ("token-labelling", {"tokens": "tokens", "target": "tags"})
CHOICES = ("choice", {"text": "question", "options": "options", "target": "label", "group": "category"})
SENSES = (
    "word-in-context",
    {"text": "s1", "start": "b1", "end": "e1", "pair": "s2", "pair-start": "b2", "pair-end": "e2", "word": "word", "target": "label"},
)
CLEAN: Rows = [{"text": "Solen sken över ån.", "label": "pro"}, {"text": "Regnet föll på bron.", "label": "con"}]


def classes(look: Check, **splits: Rows) -> dict[str, Finding]:
    return look(*CLASSES, splits, labels=["pro", "con"])


def test_check_says_nothing_about_clean_data(look: Check) -> None:
    train = [{"text": "Månen gick upp i öster.", "label": "pro"}, {"text": "Vinden mojnade mot kvällen.", "label": "con"}]
    assert classes(look, train=train, test=CLEAN) == {}


def test_check_compares_a_size_with_the_published_one(data: Path) -> None:
    (data / "val.jsonl").write_text("".join(json.dumps(row) + "\n" for row in CLEAN))
    task = declare(*CLASSES, {"val": 8508}, labels=["pro", "con"])
    found = next(f for f in check_material(read_material(task)) if f.code == "size")
    assert str(found) == "own/task val: 2 items, published are 8,508. [size]"
    assert found.count == 8506


def test_check_counts_tokens_where_the_publisher_does(look: Check) -> None:
    rows = [{"tokens": ["Ane", "sov"], "tags": ["B-PER", "O"]}]
    assert look(*TAGGED, {"test": rows}, labels=["O", "B-PER"], counts="tokens")["size"].message == "2 tokens, published are 1."


def test_check_counts_passages_where_the_publisher_does(look: Check) -> None:
    fields = {"context": "passage", "text": "question", "options": "options", "target": "right", "group": "passage_id"}
    row = {"passage": LONG, "passage_id": 1, "options": ["ja", "nej"], "right": [0]}
    rows = [{**row, "question": "Satt katten?"}, {**row, "question": "Var mattan röd?"}]
    assert look("multi-choice", fields, {"test": rows}, counts="passages")["size"].message == "1 passage, published are 2."


def test_check_notes_a_split_that_is_not_here(data: Path) -> None:
    (data / "test.jsonl").write_text(json.dumps(CLEAN[0]) + "\n")
    task = declare(*CLASSES, {"train": 5, "test": 1}, labels=["pro", "con"])
    found = next(f for f in check_material(read_material(task)) if f.code == "split-absent")
    assert (found.split, found.severity) == ("train", "note")


def test_check_goes_on_where_a_file_cannot_be_read_to_its_end(data: Path) -> None:
    (data / "test.jsonl").write_text(json.dumps(CLEAN[0]) + '\n{"text": \n')
    task = declare(*CLASSES, {"test": 2}, labels=["pro", "con"])
    found = {f.code: f for f in check_material(read_material(task))}
    assert "test.jsonl:2: not JSON" in found["unreadable"].message
    assert "size" in found


def test_check_survives_records_of_another_shape(look: Check) -> None:
    rows: Any = [["a", "list"], {"tokens": None, "tags": ["O"]}, {"tokens": ["a"], "tags": ["O"]}]
    found = look(*TAGGED, {"test": rows}, labels=["O"])
    assert found["malformed"].count == 2
    assert found["empty-text"].count == 1


def test_check_survives_a_reader_that_breaks(look: Check) -> None:
    fields = {"text": "text", "first": "span1", "first-start": "span1_start", "first-end": "span1_end", "target": "label"}
    fields |= {"second": "span2", "second-start": "span2_start", "second-end": "span2_end"}
    found = look("coreference", fields, {"test": [{"text": "Hon sov."}]}, labels=["true", "false"], reader="word-spans")
    assert "record 1: KeyError: 'target'" in found["unreadable"].message


def test_check_finds_an_unknown_label(look: Check) -> None:
    found = classes(look, test=[*CLEAN, {"text": "Snön låg kvar.", "label": "maybe"}])
    assert found["unknown-label"].count == 1
    assert "row 3: 'maybe'" in found["unknown-label"].message


def test_check_finds_a_missing_label_only_where_labels_are_published(look: Check) -> None:
    rows = [*CLEAN, {"text": "Snön låg kvar."}]
    assert classes(look, test=rows)["missing-label"].message == "1 item without an answer: row 3."
    found = look(*CLASSES, {"test": rows}, labels=["pro", "con"], unlabelled=["test"])
    assert "missing-label" not in found
    assert found["unexpected-label"].severity == "note"


def test_check_notes_labels_that_are_never_used_or_shared_out_otherwise(look: Check) -> None:
    train = [{"text": f"Mening {i}.", "label": "pro"} for i in range(10)]
    test = [{"text": f"Sats {i}.", "label": "con"} for i in range(10)]
    found = look(*CLASSES, {"train": train, "test": test}, labels=["pro", "con", "non"])
    assert found["unused-label"].examples == ["non"]
    assert "differ by 1.00" in found["label-shift"].message
    assert {found["unused-label"].severity, found["label-shift"].severity} == {"note"}


def test_check_notes_the_balance_of_every_split(data: Path) -> None:
    (data / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in CLEAN))
    task = declare(*CLASSES, {"test": 2}, labels=["pro", "con"])
    found = next(f for f in check_material(read_material(task)) if f.code == "balance")
    assert (found.message, found.severity) == ("pro 50.0%, con 50.0%.", "note")


def test_check_finds_missing_empty_and_duplicate_ids(look: Check) -> None:
    rows = [{"id": i, "text": f"Mening nummer {n}.", "label": "pro"} for n, i in enumerate(["a", "a", "", None, "b"])]
    found = look("classification", {**CLASSES[1], "id": "id"}, {"test": rows}, labels=["pro"])
    assert [found[code].count for code in ("duplicate-id", "empty-id", "missing-id")] == [1, 1, 1]
    assert "a (2 times, rows 1, 2)" in found["duplicate-id"].message


def test_check_finds_duplicate_ids_that_the_declaration_does_not_use(look: Check) -> None:
    rows = [{"idx": n // 2, "text": f"Mening nummer {n}.", "label": "pro"} for n in range(4)]
    assert look(*CLASSES, {"test": rows}, labels=["pro"])["duplicate-id"].count == 2


def test_check_notes_a_gap_in_ids(look: Check) -> None:
    rows = [{"idx": n, "text": f"Mening nummer {n}.", "label": "pro"} for n in range(30) if n != 7]
    found = look(*CLASSES, {"test": rows}, labels=["pro"])
    assert (found["id-gap"].message, found["id-gap"].severity) == ("1 number missing between id 0 and 29: 7.", "note")


@pytest.mark.parametrize("text", ["", "  \n", None])
def test_check_finds_an_empty_text(look: Check, text: str | None) -> None:
    assert classes(look, test=[*CLEAN, {"text": text, "label": "pro"}])["empty-text"].count == 1


def test_check_finds_an_empty_sentence_and_an_empty_token(look: Check) -> None:
    rows = [{"tokens": [], "tags": []}, {"tokens": ["Ane", ""], "tags": ["O", "O"]}, {"tokens": ["sov"], "tags": ["O"]}]
    assert look(*TAGGED, {"test": rows}, labels=["O"])["empty-text"].count == 2


def test_check_finds_a_text_that_is_none(look: Check) -> None:
    assert classes(look, test=[*CLEAN, {"text": 17, "label": "pro"}])["wrong-type"].count == 1


def test_check_finds_empty_and_repeated_options(look: Check) -> None:
    rows = [{"question": f"Fråga {i}?", "options": o, "label": 0} for i, o in enumerate([["ja", "nej"], ["ja", "ja"], ["ja", ""]])]
    found = look(*CHOICES, {"test": rows})
    assert "row 2" in found["duplicate-option"].message
    assert "row 3" in found["empty-option"].message


def test_check_finds_an_item_that_is_there_twice(look: Check) -> None:
    found = classes(look, test=[*CLEAN, CLEAN[0]])
    assert found["duplicate"].message == '1 repeated item: rows 1, 3 "Solen sken över ån.".'
    assert "contradictory" not in found


def test_check_finds_different_answers_to_one_item(look: Check) -> None:
    found = classes(look, test=[*CLEAN, {**CLEAN[0], "label": "con"}])
    assert "rows 1, 3 (pro, con)" in found["contradictory"].message
    assert "duplicate" not in found


def test_check_calls_numbers_contradictory_only_where_they_are_far_apart(look: Check) -> None:
    rows = [{"w1": "bred", "w2": "smal", "label": 9.6}, {"w1": "smal", "w2": "bred", "label": 10.0}]
    assert look(*JUDGED, {"test": rows}, scale=(0, 10)).keys() == {"duplicate"}
    assert look(*JUDGED, {"test": [rows[0], {**rows[1], "label": 2}]}, scale=(0, 10)).keys() == {"contradictory"}


def test_check_finds_the_same_text_in_train_and_test(look: Check) -> None:
    found = classes(look, train=[{"text": "  SOLEN sken, över ån", "label": "con"}], test=CLEAN)
    assert found["overlap"].split == "train/test"
    assert found["overlap"].message == '1 of 2 items of test also in train, 1 with another answer: row 1 = row 1 "Solen sken över ån.".'


def test_check_finds_the_same_text_in_dev_and_test_whatever_dev_is_called(look: Check) -> None:
    assert classes(look, val=CLEAN[:1], test=CLEAN)["overlap"].split == "val/test"


def test_check_notes_the_same_text_in_train_and_dev(look: Check) -> None:
    assert classes(look, train=CLEAN[:1], dev=CLEAN)["overlap"].severity == "note"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (LONG.replace("katten", "hunden"), True),
        (f"Idag: {LONG}, minsann!", True),
        (f"{LONG} medan regnet föll och vinden slog i dörrarna och ingen kom hem på kvällen", True),
        ("en annan mening om katten som låg på soffan och sov i solen", False),
        ("en lång mening om katten", False),
    ],
)
def test_check_finds_nearly_the_same_text_in_train_and_test(look: Check, text: str, found: bool) -> None:
    got = classes(look, train=[{"text": text, "label": "pro"}], test=[{"text": LONG, "label": "pro"}])
    assert ("near-overlap" in got, "overlap" in got) == (found, False)


def test_check_compares_pairs_and_only_notes_a_shared_premise(look: Check) -> None:
    train = [{"premise": LONG, "hypothesis": "Katten sov.", "label": "pro"}]
    test = [{"premise": LONG, "hypothesis": "Hunden åt.", "label": "pro"}]
    found = look(*PAIRS, {"train": train, "test": test}, labels=["pro"])
    assert found.keys() == {"shared-text"}
    assert found["shared-text"].severity == "note"


def test_check_takes_a_question_with_other_options_for_another_item(look: Check) -> None:
    row = {"question": "Vilket av följande påståenden är sant här?", "label": 0}
    train, test = [{**row, "options": ["a", "b"]}], [{**row, "options": ["c", "d"]}]
    assert look(*CHOICES, {"train": train, "test": test}).keys() == {"shared-text"}
    assert "overlap" in look(*CHOICES, {"train": [{**row, "options": ["d", "c"]}], "test": test})


def test_check_is_not_misled_by_many_texts_of_one_mould(look: Check) -> None:
    mould = "det här är en mall som alla texter delar med varandra nummer {} slut"
    train = [{"text": mould.format(i), "label": "pro"} for i in range(COMMON + 100)]
    test = [{"text": "en helt egen text om något annat som ingen skrev förut", "label": "pro"}]
    assert "near-overlap" not in classes(look, train=train, test=test)


def test_check_compares_a_diagnostic_with_what_it_is_trained_on(data: Path) -> None:
    kind, fields = PAIRS
    row = {"premise": LONG, "hypothesis": "Katten sov.", "label": "pro"}
    for name in ("train", "test"):
        (data / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    diagnostic = declare(kind, fields, {"test": 1}, labels=["pro"], trained_on="basis", slices=Slices({"logic": "logic"}))
    basis = Task(**{**{f: getattr(diagnostic, f) for f in diagnostic.__struct_fields__}, "name": "basis", "trained_on": None})
    basis = Task(
        **{**{f: getattr(basis, f) for f in basis.__struct_fields__}, "data": Source(files={"train": "train.jsonl"}, rows={"train": 1})}
    )
    suite = suite_of(basis, diagnostic)
    for order in ([basis, diagnostic], [diagnostic]):
        found = next(f for f in check_suite(suite, order)[-1].findings if f.code == "overlap")
        assert (found.task, found.split) == ("own/task", "basis train/test")


def suite_of(*tasks: Task) -> Suite:
    names = {task.name: task for task in tasks}
    return Suite("Own", "Own.", "1", "sv", "x", "x", "x", list(names), find("superlim")[0].overall, "x", name="own", tasks=names)


def grouped(category: int, options: list[str], count: int) -> Rows:
    return [{"question": f"Fråga {category}.{i} {options[0]}?", "options": options, "label": 0, "category": category} for i in range(count)]


def test_check_finds_an_item_in_the_wrong_group(look: Check) -> None:
    rows = grouped(35, ["a", "b", "c"], 5) + grouped(35, ["x", "y"], 1) + grouped(36, ["x", "y"], 4)
    found = look(*CHOICES, {"test": rows})["wrong-group"]
    assert found.count == 1
    assert "row 6 in group 35, with the options of group 36" in found.message


def test_check_finds_an_item_unlike_its_group(look: Check) -> None:
    rows = grouped(35, ["a", "b", "c"], 5) + grouped(35, ["q", "r"], 1) + grouped(36, ["x", "y"], 4)
    assert "unlike the options of its group" in look(*CHOICES, {"test": rows})["wrong-group"].message


def test_check_lets_groups_differ_where_options_belong_to_items(look: Check) -> None:
    rows = [row for i in range(6) for row in grouped(i % 2, [f"ja {i}", "nej"], 1)]
    assert "wrong-group" not in look(*CHOICES, {"test": rows})


def sense(start: int, end: int, text: str = "En banan låg kvar.") -> dict[str, Any]:
    return {"s1": text, "b1": start, "e1": end, "s2": "Två bananer till.", "b2": 4, "e2": 11, "word": "banan", "label": "same"}


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (sense(3, 8), None),
        (sense(3, 80), "span-range"),
        (sense(-2, 8), "span-range"),
        (sense(8, 3), "span-range"),
        (sense(3, 3), "span-empty"),
        (sense(3, 9), "span-space"),
        (sense(2, 8), "span-space"),
        (sense(3, 7), "span-cut"),
        (sense(4, 8), "span-cut"),
        (sense(5, 8, "Du, kniv och banan!"), "span-cut"),
        (sense(4, 8, "Du, kniv och banan!"), "span-mismatch"),
        (sense(3, 9, "En banan, mogen."), "span-punctuation"),
    ],
)
def test_check_finds_spans_that_do_not_match_their_text(look: Check, row: dict[str, Any], code: str | None) -> None:
    found = look(*SENSES, {"test": [row]}, labels=["same"])
    assert code in found if code else found == {}


def test_check_finds_a_span_beside_the_words_that_its_record_names(look: Check) -> None:
    fields = {"text": "text", "first": "pronoun.text", "first-start": "pronoun.at.start", "first-end": "pronoun.at.stop", "target": "label"}
    fields |= {"second": "name.text", "second-start": "name.at.start", "second-end": "name.at.stop"}
    row = {"text": "Kim sa att hen sov.", "pronoun": {"text": "hen", "at": {"start": 11, "stop": 14}}, "label": "true"}
    good, bad = ({**row, "name": {"text": "Kim", "at": {"start": start, "stop": start + 3}}} for start in (0, 15))
    assert look("coreference", fields, {"test": [good]}, labels=["true", "false"]).keys() == {"unused-label"}
    assert look("coreference", fields, {"test": [bad]}, labels=["true", "false"])["span-mismatch"].count == 1


def word_spans(*indices: tuple[int, int]) -> Rows:
    target = {"span1_text": "Kim", "span2_text": "hen"}
    texts = [f"Kim sa att hen sov länge {i}." for i in range(len(indices))]
    return [
        {"text": text, "label": "true", "target": {**target, "span1_index": a, "span2_index": b}}
        for text, (a, b) in zip(texts, indices, strict=True)
    ]


def look_at_word_spans(look: Check, rows: Rows) -> dict[str, Finding]:
    fields = {"text": "text", "first": "span1", "first-start": "span1_start", "first-end": "span1_end", "target": "label"}
    fields |= {"second": "span2", "second-start": "span2_start", "second-end": "span2_end"}
    return look("coreference", fields, {"test": rows}, labels=["true"], reader="word-spans")


def test_check_tells_when_a_word_number_counts_from_1(look: Check) -> None:
    assert look_at_word_spans(look, word_spans((0, 3), (0, 3))) == {}
    found = look_at_word_spans(look, word_spans((0, 4), (0, 4)))
    assert found.keys() == {"span-index"}
    assert "span2_index is 1-based in all 2 rows" in found["span-index"].message


def test_check_finds_a_word_number_that_is_wrong_in_some_rows(look: Check) -> None:
    found = look_at_word_spans(look, word_spans((0, 3), (0, 1), (0, 3)))
    assert '1 of 3 rows without span2_text at span2_index: row 2 "hen", word 1 is "sa"' in found["span-mismatch"].message


def test_check_finds_an_answer_that_is_not_at_its_start(look: Check) -> None:
    fields = {"context": "context", "text": "question", "target": "answers.text", "answer-start": "answers.start"}
    row = {"context": LONG, "question": "Var satt katten?"}
    good = [
        {**row, "answers": {"text": ["mattan"], "start": [LONG.index("mattan")]}},
        {**row, "question": "Vem?", "answers": {"text": [""], "start": [0]}},
    ]
    assert look("span-answer", fields, {"test": good}) == {}
    assert look("span-answer", fields, {"test": [{**row, "answers": {"text": ["mattan"], "start": [3]}}]})["span-mismatch"].count == 1


def test_check_finds_a_judgment_off_the_scale(look: Check) -> None:
    rows = [
        {"w1": "dryck", "w2": "mun", "a1": 10, "a2": 7, "a3": 19, "label": 12.0},
        {"w1": "a", "w2": "b", "a1": 1, "a2": None, "label": 1},
    ]
    found = look(*JUDGED, {"test": rows}, scale=(0, 10))
    assert found["off-scale"].count == 2
    assert 'row 1 a3 = 19 "dryck – mun"; row 1 gold = 12' in found["off-scale"].message


def test_check_finds_a_judgment_off_the_scale_in_a_list(look: Check) -> None:
    rows = [{"w1": "dryck", "w2": "mun", "judgments": [10, -1], "label": 4.5}]
    assert "judgment 2 = -1" in look(*JUDGED, {"test": rows}, scale=(0, 10))["off-scale"].message


def test_check_does_not_take_other_numbers_for_judgments(look: Check) -> None:
    rows = [{"w1": "dryck", "w2": "mun", "annotation_id": 4711, "a": 99, "label": 4.5}]
    assert look(*JUDGED, {"test": rows}, scale=(0, 10)) == {}


def test_check_finds_gold_that_is_not_the_mean_of_its_judgments(look: Check) -> None:
    rows = [{"w1": f"ord{i}", "w2": "mun", "a1": 2, "a2": 3, "a3": 3, "label": 2.7} for i in range(20)]
    assert look(*JUDGED, {"test": rows}, scale=(0, 10)) == {}
    found = look(*JUDGED, {"test": [*rows, {**rows[0], "w1": "annat", "label": 3.5}]}, scale=(0, 10))
    assert found["label-not-mean"].message == "1 of 21 items whose gold is not the mean of its judgments: row 21 is 3.5, the mean 2.67."


def test_check_finds_orphan_tags(look: Check) -> None:
    labels = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    rows = [
        {"tokens": list("abcde"), "tags": ["I-PER", "I-PER", "O", "B-LOC", "I-PER"]},
        {"tokens": list("fg"), "tags": ["B-LOC", "I-LOC"]},
    ]
    found = look(*TAGGED, {"test": rows}, labels=labels)
    assert found["orphan-tag"].count == 2
    assert 'row 1 I-PER on "a"; row 1 I-PER on "e"' in found["orphan-tag"].message


def test_check_finds_tags_that_do_not_fit_their_tokens(look: Check) -> None:
    rows = [{"tokens": ["a", "b"], "tags": ["O"]}, {"tokens": ["c"], "tags": ["B-X"]}]
    found = look(*TAGGED, {"test": rows}, labels=["O", "B-PER"])
    assert (found["count-mismatch"].count, found["unknown-label"].count) == (1, 1)


@pytest.mark.parametrize(
    "text", ["fÃ¶rÃ¤ldrar", "Ð¿Ñ€Ð¸Ð²ÐµÑ‚", "Reutersâ€™ bild", "ett \ufffd tecken", "\x94pojkar\x94", "РџСЂРёРІРµС‚", "Å¡koda"]
)
def test_check_finds_mojibake(look: Check, text: str) -> None:
    assert classes(look, test=[*CLEAN, {"text": text, "label": "pro"}])["mojibake"].count == 1


@pytest.mark.parametrize(
    "text", ["Åsa såg ”BLÅ” … »Ål«", "ORÐ” – Ð", "Привет, Россия! США…", "Iñaki É» CAFÉ»", "12 Å² och Å³", "SÃO PAULO", "“Ñ”"]
)
def test_check_takes_no_honest_text_for_mojibake(text: str) -> None:
    assert MOJIBAKE.search(text) is None


def test_check_finds_odd_characters_and_notes_odd_forms(look: Check) -> None:
    texts = ["klock\x02an", "hast\u00adighet", "A &quot;b&quot;", "e\u0301tude"]
    found = classes(look, test=[{"text": text, "label": "pro"} for text in texts] + CLEAN)
    severities = {code: found[code].severity for code in ("control-character", "invisible-character", "escape", "not-nfc")}
    assert list(severities.values()) == ["problem", "note", "note", "note"]
    assert "klock<U+0002>an" in found["control-character"].message


def test_check_knows_an_ampersand_from_an_escape() -> None:
    assert ESCAPE.search("Johnson &amp; Johnson")
    assert not ESCAPE.search("AT&T; Marks & Spencer, C:\\nyheter")


@pytest.mark.parametrize(
    ("raw", "code", "severity"),
    [
        (b'{"text": "a b", "label": "pro"}\r\n{"text": "c d", "label": "con"}\n', "mixed-line-ends", "problem"),
        (b'{"text": "a b", "label": "pro"}\r\n{"text": "c d", "label": "con"}\r\n', "crlf", "note"),
        (b'{"text": "a b", "label": "pro"}\n{"text": "c d", "label": "con"}', "no-final-newline", "note"),
        (b'{"text": "a b", "label": "pro"}\n\n{"text": "c d", "label": "con"}\n', "blank-line", "note"),
        (b'\xef\xbb\xbf{"text": "a b", "label": "pro"}\n{"text": "c d", "label": "con"}\n', "byte-order-mark", "problem"),
        (b'{"text": "a b", "label": "pro"}\n{"text": "\xe5", "label": "con"}\n', "not-utf-8", "problem"),
    ],
)
def test_check_looks_at_the_bytes_of_a_file(data: Path, raw: bytes, code: str, severity: str) -> None:
    (data / "test.jsonl").write_bytes(raw)
    task = declare(*CLASSES, {"test": 2}, labels=["pro", "con"])
    found = {f.code: f.severity for f in check_material(read_material(task)) if f.code not in ("sheet-incomplete", "balance")}
    assert found.pop(code) == severity
    assert code == "not-utf-8" or not found


def test_check_notes_keys_that_only_some_records_have(look: Check) -> None:
    rows = [*({**row, "negation": "no"} for row in CLEAN), {"text": "Snön låg kvar.", "label": "pro", "no_negation": "x"}]
    found = classes(look, test=rows)["odd-keys"]
    assert found.message == "2 keys not in every one of 3 records: 'no_negation' in 1; 'negation' missing in 1."


def test_check_finds_an_incomplete_sheet(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gluepot.tasks.sheets.SUITES", tmp_path / "suites")
    material = read_material(declare(*CLASSES, {"test": 2}, labels=["pro", "con"]))
    missing = next(f for f in CHECKS["sheet"](material))
    assert (missing.code, missing.count) == ("sheet-incomplete", len(SHEET))
    fields = "\n".join(f"### {name}\nText.\n" for name in SHEET)
    folder = tmp_path / "suites" / "own" / "task"
    folder.mkdir(parents=True)
    (folder / "sheet.md").write_text(fields, encoding="utf-8")
    assert list(CHECKS["sheet"](material)) == []


SHEET = (
    "Created by", "Publisher(s)", "Abstract", "Funded by", "Primary data", "Nature of the content", "Format", "Data source(s)",
    "Data collection method(s)", "Data selection and filtering", "Data preprocessing", "Data labeling", "Data last updated",
    "Which changes have been made, compared to the previous version", "This document created", "This document last updated",
    "Documentation template version",
)  # fmt: skip


def test_check_notes_an_incomplete_official_sheet(data: Path) -> None:
    (data / "own_documentation-sheet.tsv").write_text("I. IDENTIFYING INFORMATION\t\nTitle*\tOwn\n", encoding="utf-8")
    found = [f for f in CHECKS["sheet"](read_material(declare(*CLASSES, {"test": 2}, labels=["pro"]))) if f.code == "official-sheet"]
    assert [f.severity for f in found] == ["note"]


def finding(count: int = 5, split: str = "dev") -> Finding:
    return Finding("duplicate", "own/task", split, "…", count)


@pytest.mark.parametrize(
    ("entry", "covers"),
    [
        (Accepted("duplicate", "task", "why"), True),
        (Accepted("duplicate", "task", "why", split="test"), False),
        (Accepted("duplicate", "task", "why", count=5), True),
        (Accepted("duplicate", "task", "why", count=4), False),
        (Accepted("duplicate", "task", "why", count={"dev": 5}), True),
        (Accepted("duplicate", "task", "why", count={"test": 9}), False),
        (Accepted("overlap", "task", "why"), False),
        (Accepted("duplicate", "other", "why"), False),
    ],
)
def test_an_accepted_finding_is_not_accepted_when_it_grows(entry: Accepted, covers: bool) -> None:
    [found] = accept([finding()], [entry])
    assert found.accepted == ("why" if covers else None)
    assert found.counts is not covers


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[[accepted]]\ncode = "duplikate"\ntask = "task"\nreason = "x"', "Did you mean 'duplicate'?"),
        ('[[accepted]]\ncode = "duplicate"\ntask = "tusk"\nreason = "x"', "Did you mean 'task'?"),
        ('[[accepted]]\ncode = "duplicate"\ntask = "task"\nreason = " "', "a reason is needed"),
        ('[[accepted]]\ncode = "duplicate"\ntask = "task"', "own/accepted.toml: Object missing required field `reason`"),
    ],
)
def test_a_list_of_accepted_findings_is_checked_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, error: str) -> None:
    monkeypatch.setattr("gluepot.data.checks.accepted.SUITES", tmp_path)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "accepted.toml").write_text(text, encoding="utf-8")
    with pytest.raises(WrongUse, match=error.replace("?", r"\?")):
        load_accepted(suite_of(declare(*CLASSES, {"test": 2}, labels=["pro"])))


@pytest.mark.parametrize("suite", load_suites(), ids=lambda suite: suite.name)
def test_every_list_of_accepted_findings_loads(suite: Suite) -> None:
    load_accepted(suite)


def test_the_pocket_suite_has_no_finding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "check", "pocket", "--notes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("0 findings, 0 accepted, ")
    assert all(line.endswith("] note") for line in lines[:-1])


def test_check_without_data_says_how_to_get_it(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "check", "superlim"]) == 3
    assert "gluepot data fetch superlim" in capsys.readouterr().err


def real(path: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    code = main(["data", "check", path, "--json"])
    return code, json.loads(capsys.readouterr().out)


def unaccepted(document: dict[str, Any]) -> set[tuple[str, str, str, int]]:
    found = (f for f in document["findings"] if f["severity"] == "problem" and f["accepted"] is None)
    return {(f["code"], f["task"].split("/")[1], f["split"], f["count"]) for f in found}


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("supersim", {("off-scale", "relatedness", "all", 1)}),
        ("superlim", {("off-scale", "supersim-superlim-relatedness", "train", 1), ("wrong-group", "swefaq", "test", 1)}),
        ("russian-superglue/RUSSE", {("size", "RUSSE", "val", 3)}),
        (
            "basqueglue",
            {("duplicate-id", "nerc_id", "test", 842), ("duplicate-id", "nerc_od", "train", 1002)}
            | {("orphan-tag", "slot", split, count) for split, count in (("train", 668), ("val", 341), ("test", 5))}
            | {("span-index", "coref", split, count) for split, count in (("train", 986), ("val", 320), ("test", 587))},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_check_finds_what_is_known_of_the_real_files(
    real_data: Path, capsys: pytest.CaptureFixture[str], path: str, known: set[Any]
) -> None:
    code, document = real(path, capsys)
    assert code == 1
    assert unaccepted(document) == known


def test_check_names_the_judgment_and_the_row(real_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "check", "supersim/relatedness"]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first == 'supersim/relatedness all: 1 number off the scale 0 to 10: row 87 a3 = 19 "dryck – mun". [off-scale]'
    assert last == "1 finding, 2 accepted, 0 notes in 1 task."
    assert main(["data", "check", "superlim/swefaq"]) == 1
    assert "row 35 in group 35, with the options of group 36" in capsys.readouterr().out


def test_check_prints_accepted_findings_with_their_reason_when_asked(real_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["data", "check", "superlim/swenli"])
    short = capsys.readouterr().out
    assert main(["data", "check", "superlim/swenli", "--accepted"]) == 0
    long = capsys.readouterr().out
    assert "accepted: Items coincide in Swedish" in long
    assert "accepted:" not in short
