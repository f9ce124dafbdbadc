"""Errors in declarations: each has its location and a suggestion, and all are reported together."""

from pathlib import Path

import pytest
from tests.tasks.own_suite import PAIRS, REVIEWS, SUITE, write_faroe

from gluepot.errors import WrongUse
from gluepot.tasks.declarations import load_suite, load_suites

SUITE_TOML, REVIEWS_TOML, PAIRS_TOML = "suite.toml", "reviews/task.toml", "pairs/task.toml"
TEXTS = {SUITE_TOML: SUITE, REVIEWS_TOML: REVIEWS, PAIRS_TOML: PAIRS}
MISTAKES = [
    (SUITE_TOML, 'title = "Faroe"', 'titel = "Faroe"', "1: titel: there is no such key. Did you mean 'title'?"),
    (SUITE_TOML, 'version = "1"', "version = 1", "3: version: 1 is not a string."),
    (SUITE_TOML, 'version = "1"\n', "", ": version: missing (a string)."),
    (SUITE_TOML, 'language = "fo"', 'language = "Faroese"', "4: language: 'Faroese' is not a language tag"),
    (SUITE_TOML, 'link = "https', 'link "https', "7: not TOML: Expected '=' after a key"),
    (SUITE_TOML, '["reviews", "pairs"]', '["reviews", "pears"]', "8: order: there is no pears/task.toml. Did you mean 'pairs'?"),
    (SUITE_TOML, '["reviews", "pairs"]', '["reviews"]', "8: order: pairs/task.toml is there, and pairs is not named here."),
    (SUITE_TOML, '["reviews", "pairs"]', '["reviews", "pairs", "pairs"]', "8: order: pairs stands there twice."),
    (SUITE_TOML, 'submission = "jsonl"', 'submission = "json-l"', "9: submission: no submission format 'json-l'. Did you mean 'jsonl'?"),
    (
        SUITE_TOML,
        'submission = "jsonl"',
        'submission = "jsonl"\nscore-split = "tset"',
        "10: score-split: no split of a task 'tset'. Did you mean 'test'?",
    ),
    (SUITE_TOML, '[["reviews"], ["pairs"]]', '[["review"], ["pairs"]]', "12: overall.terms: no task 'review'. Did you mean 'reviews'?"),
    (
        SUITE_TOML,
        '[["reviews"], ["pairs"]]',
        '[["reviews:accurcy"]]',
        "12: overall.terms: no metric of reviews 'accurcy'. Did you mean 'accuracy'?",
    ),
    (SUITE_TOML, '[["reviews"], ["pairs"]]', "[]", "12: overall.terms: a list of lists, each with a task or more."),
    (SUITE_TOML, '[["reviews"], ["pairs"]]', '["reviews"]', "12: overall.terms: 'reviews' is not a list."),
    (SUITE_TOML, "[overall]", 'name = "other"\n[overall]', "11: name: there is no such key."),
    (REVIEWS_TOML, 'title = "Reviews"', 'title = ""', "1: title: nothing stands there."),
    (REVIEWS_TOML, '"classification"', '"clasification"', "3: kind: no task kind 'clasification'. Did you mean 'classification'?"),
    (REVIEWS_TOML, '["reviews"]', '"reviews"', "5: domain: 'reviews' is not a list."),
    (REVIEWS_TOML, '"macro-f1"', '"makro-f1"', "6: metrics: no metric 'makro-f1'. Did you mean 'macro-f1'?"),
    (REVIEWS_TOML, '"macro-f1"', '"spearman"', "6: metrics: spearman judges number, a classification task answers with label. Fitting: "),
    (REVIEWS_TOML, '"macro-f1"', '"accuracy"', "6: metrics: accuracy stands there twice."),
    (REVIEWS_TOML, '["accuracy", "macro-f1"]', "[]", "6: metrics: at least one; the first ranks."),
    (REVIEWS_TOML, 'labels = ["good", "bad"]\n', "", ": labels: a classification task needs its labels."),
    (REVIEWS_TOML, '["good", "bad"]', '["good", "bad", "bad"]', "7: labels: 'bad' stands there twice."),
    (REVIEWS_TOML, '["good", "bad"]', '["bad"]', "7: labels: one label alone asks nothing."),
    (REVIEWS_TOML, "[data]\n", '[data]\nreader = "jsonlines"\n', "13: data.reader: no reader 'jsonlines'. Did you mean 'jsonl'?"),
    (REVIEWS_TOML, "[data]\n", '[data]\nrevisoin = "1"\n', "13: data.revisoin: there is no such key. Did you mean 'revision'?"),
    (REVIEWS_TOML, "test = 8", "tset = 8", "15: data.rows: no split in files 'tset'. Did you mean 'test'?"),
    (REVIEWS_TOML, "test = 8", "test = -8", "17: data.rows.test: -8 is less than none."),
    (REVIEWS_TOML, "[data]\n", '[data]\nunlabelled = ["tets"]\n', "13: data.unlabelled: no split in files 'tets'. Did you mean 'test'?"),
    (REVIEWS_TOML, '"reviews/test.jsonl"', '"../../secret"', "13: data.files.test: ../../secret leads out of the data folder"),
    (REVIEWS_TOML, '"reviews/test.jsonl"', '""', "13: data.files.test: a path, or a list of paths."),
    (REVIEWS_TOML, 'text = "text"', 'txt = "text"', "21: fields.txt: no field of a classification task. Did you mean 'text'?"),
    (REVIEWS_TOML, 'target = "label"\n', "", "19: fields: a classification task also needs target."),
    (REVIEWS_TOML, "[data]", 'trained-on = "review"\n[data]', "12: trained-on: no other task 'review'. Known: pairs."),
    (REVIEWS_TOML, "[data]", 'trained-on = "pairs"\n[data]', "12: trained-on: pairs has no train split."),
    (REVIEWS_TOML, "[data]", "coverage = 0.9\n[data]", "12: coverage: only where may-skip = true."),
    (REVIEWS_TOML, "[data]", "may-skip = true\ncoverage = 1.5\n[data]", "13: coverage: a share of the items, above 0 and at most 1."),
    (REVIEWS_TOML, "[data]", "off-scale = true\n[data]", "12: off-scale: there is no scale."),
    (REVIEWS_TOML, "[data]", "[metric-options.mcc]\nx = 1\n[data]", "12: metric-options.mcc: no metric of this task 'mcc'."),
    (REVIEWS_TOML, "[data]", "[training]\nepochs = 3\n[data]", "12: training: suite.toml has no [training]"),
    (REVIEWS_TOML, "Review: {text}", "Review: {txet}", "26: prompt.base: no placeholder 'txet'. Did you mean 'text'?"),
    (REVIEWS_TOML, "good or bad? {text}", "good or bad? {text", "27: prompt.instruct: expected '}' before end of string"),
    (REVIEWS_TOML, 'ringt"', 'ringt"\nbda = "x"', "34: prompt.label-words.bda: no label of this task 'bda'. Did you mean 'bad'?"),
    (REVIEWS_TOML, "shots = 2", "shots = -2", "28: prompt.shots: -2 is less than none."),
    (REVIEWS_TOML, "shots = 2", "shots = true", "28: prompt.shots: True is not an integer."),
    (SUITE_TOML, 'version = "1"', 'version = "1/../x"', "3: version: '1/../x': it stands in addresses"),
    (SUITE_TOML, 'version = "1"', 'version = ""', "3: version: '': it stands in addresses"),
    (SUITE_TOML, "[overall]", "[submitting]\nquota = -1\n[overall]", "12: submitting.quota: -1 is not an integer from 1 to 10,000."),
    (
        SUITE_TOML,
        "[overall]",
        "[training]\nlearning-rate = nan\nbatch-size = 8\n[overall]",
        "12: training.learning-rate: nan is not a number above 0 to 1,000",
    ),
    (
        SUITE_TOML,
        "[overall]",
        "[training]\nlearning-rate = 1e-5\nbatch-size = [8, 0]\n[overall]",
        "13: training.batch-size: 0 is not an integer from 1 to",
    ),
    (REVIEWS_TOML, '["good", "bad"]', '["good", "bad", ""]', "7: labels: '': a label is something"),
    (REVIEWS_TOML, '["good", "bad"]', '["good", "bad", "so "]', "7: labels: 'so ': a label is something, and has no space around it."),
    (REVIEWS_TOML, "[data]", "scale = [1, 5]\n[data]", "12: scale: a classification task answers with label, which has no scale."),
    (REVIEWS_TOML, "[data]\n", '[data]\ncounts = "toknes"\n', "13: data.counts: no unit 'toknes'. Did you mean 'tokens'?"),
    (REVIEWS_TOML, "[data]\n", '[data]\nhub = "a/b/c"\n', "13: data.hub: 'a/b/c' is not a dataset on the Hub: OWNER/NAME."),
    (REVIEWS_TOML, "[data]\n", '[data]\nsha256 = "zz"\n', "13: data.sha256: 64 digits"),
    (
        REVIEWS_TOML,
        "[data]\n",
        '[data]\narchive = "file:///etc/passwd"\n',
        "13: data.archive: 'file:///etc/passwd' is not the address of an archive",
    ),
    (REVIEWS_TOML, '"reviews/test.jsonl"', '"reviews/\\u0000"', "13: data.files.test: 'reviews/\\x00' has a control character"),
    (REVIEWS_TOML, 'text = "text"', 'text = ""', "21: fields.text: '' names no column"),
    (REVIEWS_TOML, 'target = "label"', 'target = "label..x"', "22: fields.target: 'label..x' names no column"),
    (REVIEWS_TOML, "bad? {text}", "bad? {text:>999999999}", "27: prompt.instruct: {text} is put in as it is: nothing after its name."),
    (REVIEWS_TOML, "bad? {text}", "bad? {text!z}", "27: prompt.instruct: {text} is put in as it is: nothing after its name."),
    (REVIEWS_TOML, "max-tokens = 5", "max-tokens = 99999999", "29: prompt.max-tokens: 99999999 is more than 1,000,000."),
    (REVIEWS_TOML, 'bad = "ringt"', 'bad = "gott"', "33: prompt.label-words.bad: 'gott' stands for good already."),
    (REVIEWS_TOML, 'bad = "ringt"', 'bad = " "', "33: prompt.label-words.bad: nothing stands there."),
    (
        REVIEWS_TOML,
        "[data]",
        "[metric-options.accuracy]\nx = 1\n[data]",
        "13: metric-options.accuracy.x: no option of accuracy 'x'. Known: none.",
    ),
    (PAIRS_TOML, "[0, 10]", "[0, inf]", "7: scale: [lowest, highest], and these are not two such numbers."),
    (PAIRS_TOML, "[0, 10]", "[-1.7e308, 1.7e308]", "7: scale: [lowest, highest], and these are not two such numbers."),
    (PAIRS_TOML, "scale = [0, 10]\n", "", ": scale: a word-pair task needs its scale, [lowest, highest]."),
    (PAIRS_TOML, "[0, 10]", "[10, 0]", "7: scale: [lowest, highest], and these are not two such numbers."),
    (PAIRS_TOML, "[0, 10]", "[0, 5, 10]", "7: scale: [0, 5, 10] is not a list of 2."),
]


@pytest.mark.parametrize(("file", "old", "new", "told"), MISTAKES, ids=[told for *_, told in MISTAKES])
def test_an_error_in_a_declaration_has_its_location_and_a_suggestion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str, told: str
) -> None:
    faroe = write_faroe(tmp_path)
    monkeypatch.chdir(tmp_path)
    spoil(faroe / file, old, new)
    with pytest.raises(WrongUse) as error:
        load_suite("./faroe")
    place = f"faroe/{file}"
    assert str(error.value).startswith(f"{place}{told}" if told.startswith(": ") else f"{place}:{told}"), str(error.value)
    assert "\n" not in str(error.value)


def test_reports_all_errors_of_a_suite_together(tmp_path: Path) -> None:
    faroe = write_faroe(tmp_path)
    spoil(faroe / SUITE_TOML, 'submission = "jsonl"', 'submission = "json-l"\nwhat = 1')
    spoil(faroe / REVIEWS_TOML, '"macro-f1"', '"makro-f1"')
    spoil(faroe / REVIEWS_TOML, 'text = "text"', 'txt = "text"')
    spoil(faroe / PAIRS_TOML, "scale = [0, 10]", "scale = 10")
    with pytest.raises(WrongUse) as error:
        load_suite(faroe)
    head, *mistakes = str(error.value).splitlines()
    assert head == "faroe: 5 mistakes in its declaration."
    assert [line.split(": ")[1] for line in mistakes] == ["what", "submission", "fields.txt", "metrics", "scale"]


def test_rejects_a_suite_without_tasks(tmp_path: Path) -> None:
    faroe = write_faroe(tmp_path)
    spoil(faroe / SUITE_TOML, '["reviews", "pairs"]', "[]")
    with pytest.raises(WrongUse, match="order: a suite has a task or more"):
        load_suite(faroe)


def test_rejects_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    faroe = write_faroe(tmp_path)
    (faroe / PAIRS_TOML).write_bytes(PAIRS.encode().replace(b"Word", b"\xff"))
    with pytest.raises(WrongUse, match=r"pairs/task\.toml: not UTF-8 \(byte 9\)"):
        load_suite(faroe)


def test_rejects_a_folder_name_that_is_not_valid_in_urls(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match=r"'my suite' has more than letters, digits"):
        load_suite(write_faroe(tmp_path, "my suite"))


def test_an_invalid_suite_does_not_affect_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(write_faroe(tmp_path) / SUITE_TOML, 'title = "Faroe"\n', "")
    write_faroe(tmp_path, "second")
    monkeypatch.setenv("GLUEPOT_SUITES", str(tmp_path))
    names = [suite.name for suite in load_suites()]
    assert "second" in names
    assert "pocket" in names
    assert "faroe" not in names
    assert "faroe was left out." in capsys.readouterr().err
    assert load_suite("second").title == "Faroe"


def spoil(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
