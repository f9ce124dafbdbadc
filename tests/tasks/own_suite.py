"""Synthetic suite as a language community would declare it, which tests write to a folder and modify."""

import json
from pathlib import Path

SUITE = """\
title = "Faroe"
summary = "Two tasks in Faroese."
version = "1"
language = "fo"
license = "CC0-1.0"
citation = "Nobody (2026)."
link = "https://faroe.invalid"
order = ["reviews", "pairs"]
submission = "jsonl"

[overall]
terms = [["reviews"], ["pairs"]]
"""
REVIEWS = """\
title = "Reviews"
summary = "A review is good or bad."
kind = "classification"
language = "fo"
domain = ["reviews"]
metrics = ["accuracy", "macro-f1"]
labels = ["good", "bad"]
license = "CC0-1.0"
citation = "Nobody (2026)."
link = "https://faroe.invalid"

[data]
files = { train = "reviews/train.jsonl", test = "reviews/test.jsonl" }

[data.rows]
train = 8
test = 8

[fields]
id = "id"
text = "text"
target = "label"

[prompt]
prefix = "Reviews."
base = "Review: {text}\\nAnswer: {label}"
instruct = "Is this good or bad? {text}"
shots = 2
max-tokens = 5

[prompt.label-words]
good = "gott"
bad = "ringt"
"""
PAIRS = """\
title = "Word pairs"
summary = "How similar are two words?"
kind = "word-pair"
language = "fo"
domain = ["words"]
metrics = ["spearman"]
scale = [0, 10]
license = "CC0-1.0"
citation = "Nobody (2026)."
link = "https://faroe.invalid"

[data]
files = { test = "pairs/test.jsonl" }

[fields]
first = "a"
second = "b"
target = "score"
"""


def write_faroe(folder: Path, name: str = "faroe") -> Path:
    """Write the suite with its data into a new folder and return it."""
    suite = folder / name
    for task, declaration in (("reviews", REVIEWS), ("pairs", PAIRS)):
        (suite / task).mkdir(parents=True)
        (suite / task / "task.toml").write_text(declaration, encoding="utf-8")
        (suite / "data" / task).mkdir(parents=True)
    (suite / "suite.toml").write_text(SUITE, encoding="utf-8")
    for split in ("train", "test"):
        rows = [
            {"id": f"{split}{n}", "text": f"{'gott' if n % 3 else 'ringt'} {split} {n}", "label": "good" if n % 3 else "bad"}
            for n in range(8)
        ]
        write_lines(suite / "data" / "reviews" / f"{split}.jsonl", rows)
    write_lines(suite / "data" / "pairs" / "test.jsonl", [{"a": f"a{n}", "b": f"b{n}", "score": n} for n in range(8)])
    return suite


def write_lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
