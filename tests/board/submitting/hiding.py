"""Suite with hidden test labels: 154 balanced items, the size of the smallest published test."""

from pathlib import Path
from random import Random

import msgspec

ITEMS = 154
SUITE = """
title = "Hidden"
summary = "A test without answers."
version = "1"
language = "sv"
license = "Apache-2.0"
citation = "A test."
link = "https://example.org/hidden"
order = ["coins"]
submission = "jsonl"

[overall]
terms = [["coins"]]

[submitting]
feedback = "{feedback}"
quota = 1000
"""
TASK = """
title = "Coins"
summary = "Heads or tails."
kind = "classification"
language = "sv"
domain = ["coins"]
labels = ["heads", "tails"]
metrics = ["accuracy"]
license = "Apache-2.0"
citation = "A test."
link = "https://example.org/hidden"

[data]
files = {{ train = "coins/train.jsonl", test = "coins/test.jsonl" }}
rows = {{ train = 4, test = {items} }}
unlabelled = ["test"]

[fields]
id = "id"
text = "text"
target = "label"
"""
SHEET = "# Coins\n"


def gold() -> list[str]:
    """Return 77 labels of each kind in an unpredictable order."""
    labels = ["heads", "tails"] * (ITEMS // 2)
    Random(4711).shuffle(labels)
    return labels


def write_suite(place: Path, feedback: str) -> Path:
    """Write the suite and return its folder; its labels are in `answers` next to it."""
    folder = place / "hidden"
    for name in ("coins", "data/coins"):
        (folder / name).mkdir(parents=True)
    (place / "answers" / "coins").mkdir(parents=True)
    (folder / "suite.toml").write_text(SUITE.format(feedback=feedback))
    (folder / "coins" / "task.toml").write_text(TASK.format(items=ITEMS))
    (folder / "coins" / "sheet.md").write_text(SHEET)
    items = [{"id": f"c{number}", "text": f"coin {number}"} for number in range(ITEMS)]
    train = [{"id": f"t{number}", "text": "coin", "label": "heads"} for number in range(4)]
    labelled = [{**item, "label": label} for item, label in zip(items, gold(), strict=True)]
    write_lines(folder / "data" / "coins" / "train.jsonl", train)
    write_lines(folder / "data" / "coins" / "test.jsonl", items)
    write_lines(place / "answers" / "coins" / "test.jsonl", labelled)
    return folder


def write_lines(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_bytes(msgspec.json.Encoder().encode_lines(rows))
    return path


def write_answers(path: Path, labels: list[str]) -> Path:
    """Write a submission with these labels."""
    return write_lines(path, [{"id": f"c{number}", "prediction": label} for number, label in enumerate(labels)])
