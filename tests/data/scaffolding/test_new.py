"""`gluepot new`: new suites, and tasks created from existing tables."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gluepot.cli import main
from gluepot.data.examples import load_examples
from gluepot.tasks.declarations import find, load_suite

WORDS = ["fugl", "bátur", "fjall", "sjógvur", "hús", "vegur", "seyður", "grind", "kirkja", "havn", "tjørn", "bygd"]


@pytest.fixture
def faroe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "faroe", "--language", "fo", "--license", "CC0-1.0"]) == 0
    capsys.readouterr()
    return tmp_path / "faroe"


def reviews(count: int = 60) -> list[tuple[str, str]]:
    """Return distinct short texts, a third of them labelled bad."""
    return [(f"{WORDS[n % 12]} {WORDS[(n * 5) % 11]} {n}", "bad" if n % 3 == 0 else "good") for n in range(count)]


def write_csv(path: Path, rows: list[tuple[str, str]], separator: str = ";", header: str = "text;label") -> Path:
    path.write_text("\n".join([header.replace(";", separator), *(separator.join(row) for row in rows)]) + "\n", encoding="utf-8")
    return path


def test_a_new_suite_passes_its_check_and_can_be_evaluated(faroe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "check", "./faroe"]) == 0
    assert main(["evaluate", "majority", "./faroe", "--json"]) == 0
    document = json.loads(capsys.readouterr().out.split("\n", 1)[1])
    assert [row["value"] for row in document["scores"] if row["metric"] == "accuracy"] == [0.5]


def test_a_new_suite_overwrites_nothing(faroe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in faroe.rglob("*") if path.is_file()}
    assert main(["new", "faroe", "--language", "sv"]) == 2
    assert "is left as it is" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in faroe.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
def test_a_table_with_any_separator_becomes_a_task(faroe: Path, separator: str, capsys: pytest.CaptureFixture[str]) -> None:
    write_csv(faroe.parent / "reviews.csv", reviews(), separator)
    assert main(["new", "faroe/reviews", "--kind", "classification", "--from", "reviews.csv"]) == 0
    said = capsys.readouterr().out
    assert "text ← text, target ← label (guessed)" in said
    assert "labels bad 20, good 40" in said
    suite, task = find("./faroe/reviews")
    assert task is not None
    assert task.labels == ["bad", "good"]
    assert task.data.rows == {"train": 42, "dev": 6, "test": 12}
    shares = {split: Counter(example.target for example in load_examples(task, split)) for split in task.data.files}
    assert shares == {"train": {"good": 28, "bad": 14}, "dev": {"good": 4, "bad": 2}, "test": {"good": 8, "bad": 4}}
    assert suite.order == ["example", "reviews"]
    assert suite.overall.terms == [["example"], ["reviews"]]
    assert main(["evaluate", "majority", "./faroe", "--out", "run"]) == 0


def test_reads_quotes_line_breaks_byte_order_marks_and_empty_lines(faroe: Path) -> None:
    rows = "".join(f'"{text}; og\nmeira";{label}\r\n\r\n' for text, label in reviews(30))
    Path("reviews.csv").write_bytes(b"\xef\xbb\xbf" + f"sep=;\ntext;label\r\n{rows}".replace("sep=;\n", "", 1).encode())
    assert main(["new", "faroe/reviews", "--kind", "classification", "--from", "reviews.csv"]) == 0
    assert all("; og\nmeira" in example.inputs["text"] for example in load_examples(load_suite("./faroe").tasks["reviews"], "test"))


def test_near_duplicates_and_groups_stay_in_one_split(faroe: Path) -> None:
    long = [" ".join(WORDS[(n * k + k) % 12] + str(n) for k in range(1, 9)) for n in range(40)]
    rows = [(text, "good" if n % 2 else "bad", str(n // 4)) for n, text in enumerate(long)]
    rows += [(text.replace(text.split()[0], "onnur"), label, str(100 + n)) for n, (text, label, _) in enumerate(rows)]
    Path("reviews.tsv").write_text("\n".join(["text\tlabel\tauthor", *("\t".join(row) for row in rows)]) + "\n", encoding="utf-8")
    assert main(["new", "faroe/reviews", "--kind", "classification", "--from", "reviews.tsv", "--group", "author"]) == 0
    task = load_suite("./faroe").tasks["reviews"]
    sides: dict[str, set[str]] = {}
    tails: dict[str, set[str]] = {}
    for split in task.data.files:
        for example in load_examples(task, split):
            sides.setdefault(str(example.group), set()).add(split)
            tails.setdefault(example.inputs["text"].split(maxsplit=1)[1], set()).add(split)
    assert len(sides) == 50
    assert all(len(splits) == 1 for splits in (*sides.values(), *tails.values()))


def test_splits_of_the_file_are_kept(faroe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"text": text, "label": label, "split": ("train", "validation", "test")[n % 3]} for n, (text, label) in enumerate(reviews(30))]
    Path("r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["new", "faroe/r", "--kind", "classification", "--from", "r.jsonl"]) == 0
    assert load_suite("./faroe").tasks["r"].data.rows == {"train": 10, "dev": 10, "test": 10}
    assert main(["new", "faroe/s", "--kind", "classification", "--from", "r.jsonl", "--split", "0.5,0,0.5"]) == 2
    assert "splits of their own (train, dev, test)" in capsys.readouterr().err


def test_imports_a_hub_folder_with_its_class_names(faroe: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    about = {"info": {"features": {"label": {"names": ["bad", "good"], "_type": "ClassLabel"}}}}
    Path("hub/data").mkdir(parents=True)
    for split in ("train", "test"):
        table = pyarrow.table({"text": [f"{split} {text}" for text, _ in reviews(12)], "label": [n % 2 for n in range(12)]})
        parquet.write_table(table.replace_schema_metadata({"huggingface": json.dumps(about)}), f"hub/data/{split}-00000-of-00001.parquet")
    Path("hub/README.md").write_text("---\nlicense: cc0-1.0\n---\n")
    assert main(["data", "import", "hub", "faroe/hub", "--kind", "classification"]) == 0
    task = load_suite("./faroe").tasks["hub"]
    assert task.labels == ["bad", "good"]
    assert task.data.rows == {"train": 12, "test": 12}


KINDS: dict[str, list[dict[str, Any]]] = {
    "pair-classification": [{"premise": f"a {w}", "hypothesis": f"b {w}", "label": n % 2} for n, w in enumerate(WORDS)],
    "regression": [{"sentence1": f"a {w}", "sentence2": f"b {w}", "score": f"{n % 5},5"} for n, w in enumerate(WORDS)],
    "word-pair": [{"word1": w, "word2": w[::-1], "similarity": n / 2} for n, w in enumerate(WORDS)],
    "token-labelling": [{"words": f"{w} er fín", "ner_tags": "B-LOC O O"} for w in WORDS],
    "choice": [{"question": w, "option_a": w, "option_b": "x", "answer": "b"} for w in WORDS],
    "multi-choice": [{"passage": f"p {w}", "question": w, "choices": ["x", w], "answer": [1]} for w in WORDS],
    "cloze": [{"passage": f"{w} og Jón", "query": "@placeholder er her", "entities": [w, "Jón"], "answer": w} for w in WORDS],
    "span-answer": [{"context": f"hetta er {w}", "question": f"hvat {n}?", "answer": w} for n, w in enumerate(WORDS)],
    "analogy": [{"a": "x", "b": "y", "c": w, "d": w.upper()} for w in WORDS],
    "summary": [{"article": f"{w} " * 9, "summary": w} for w in WORDS],
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_task_is_inferred_from_common_columns_and_evaluated(faroe: Path, kind: str) -> None:
    Path("table.json").write_text(json.dumps(KINDS[kind]), encoding="utf-8")
    assert main(["new", "faroe/own", "--kind", kind, "--from", "table.json", "--split", "0.5,0,0.5"]) == 0
    assert main(["evaluate", "random", "./faroe/own", "--out", "run"]) == 0
    assert main(["verify", "./faroe/own"]) == 0


@pytest.mark.parametrize(
    ("words", "content", "told"),
    [
        (["--kind", "clasification"], "text;label\na;b\n", "no task kind 'clasification'. Did you mean 'classification'?"),
        ([], "text;label\na;b\n", "--kind is required"),
        (["--kind", "classification"], "text;label\na;b;c\n", "t.csv:2: 3 cells where the header has 2."),
        (["--kind", "classification"], "text\na\n", "one column only"),
        (["--kind", "classification"], "text;text\na;b\n", "two columns are called 'text'"),
        (["--kind", "classification"], "text;label\n", "there are no rows"),
        (
            ["--kind", "classification", "--field", "txt=text"],
            "text;label\na;b\n",
            "task 'txt'. Did you mean 'text'?",
        ),
        (["--kind", "classification", "--field", "text=txet"], "text;label\na;b\n", "no column 'txet'. Did you mean 'text'?"),
        (["--kind", "word-pair"], "text;label\na;b\n", "which column is second of a word-pair task? Say it with --field second=COLUMN"),
        (["--kind", "regression"], "text;label\na;b\n", "'b' is not a number"),
        (["--kind", "classification", "--split", "0.7,0.1,0.1"], "text;label\na;b\n", "three shares that add up to 1"),
        (["--kind", "token-labelling"], "tokens;tags\na b;O\n", "row 1: 1 tag for 2 tokens."),
    ],
)
def test_reports_invalid_input_and_writes_nothing(
    faroe: Path, words: list[str], content: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(faroe.rglob("*"))
    Path("t.csv").write_text(content)
    try:
        code = main(["new", "faroe/own", "--from", "t.csv", *words])
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    assert code in (1, 2)
    assert told in capsys.readouterr().err
    assert sorted(faroe.rglob("*")) == before


def test_a_task_outside_a_suite_names_the_command_to_create_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "t.csv", reviews())
    assert main(["new", "nowhere/own", "--kind", "classification", "--from", "t.csv"]) == 2
    assert "Create one first: gluepot new nowhere --language fo" in capsys.readouterr().err


def test_the_same_table_and_seed_give_the_same_splits(faroe: Path) -> None:
    write_csv(Path("t.csv"), reviews())
    for name, seed in (("a", "0"), ("b", "0"), ("c", "1")):
        assert main(["new", f"faroe/{name}", "--kind", "classification", "--from", "t.csv", "--seed", seed]) == 0
    texts = {name: [e.inputs["text"] for e in load_examples(load_suite("./faroe").tasks[name], "test")] for name in "abc"}
    assert texts["a"] == texts["b"] != texts["c"]


def test_comments_in_a_suites_declaration_are_kept(faroe: Path) -> None:
    path = faroe / "suite.toml"
    path.write_text("# ours\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    write_csv(Path("t.csv"), reviews())
    assert main(["new", "faroe/t", "--kind", "classification", "--from", "t.csv"]) == 0
    assert path.read_text(encoding="utf-8").startswith("# ours\n")
