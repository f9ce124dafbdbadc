"""Small runs, and manual edits of their files."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.reporting.made import guess, make_run

from gluepot.data.examples import load_examples
from gluepot.models import ModelName
from gluepot.runs.verification import gold_answer
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.search_path import BUNDLED

POCKET = load_suite("pocket")
TASKS = ["stance-sv", "paraphrase-sv", "entailment-ru"]
TASK = TASKS[0]


def make(path: Path, model: str = "tfidf-svm", share: float = 0.5, **more: Any) -> Path:
    """Create a small run that answers about a share of the items correctly."""
    return make_run(path, ModelName(model), guess(share, sure=0.7), tasks=TASKS, **more)


def predictions(run: Path, task: str = TASK, seed: int = 0) -> Path:
    return run / "predictions" / f"seed-{seed}" / task / "test.jsonl"


def rows(run: Path, task: str = TASK, seed: int = 0) -> list[dict[str, Any]]:
    return [json.loads(line) for line in predictions(run, task, seed).read_text().splitlines()]


def write_rows(run: Path, lines: list[dict[str, Any]], task: str = TASK, seed: int = 0) -> None:
    predictions(run, task, seed).write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines))


def perfect(run: Path) -> None:
    """Replace every prediction of a task by the gold answer."""
    gold = {example.id: gold_answer(POCKET.tasks[TASK], example) for example in load_examples(POCKET.tasks[TASK], "test")}
    write_rows(run, [{**row, "prediction": gold[row["id"]]} for row in rows(run)])


def edit(path: Path, change: Callable[[Any], None]) -> None:
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def set_scores(value: float) -> Callable[[Any], None]:
    """Return an edit of scores.json that sets a task's scores, both in the summary and per seed."""

    def change(scores: Any) -> None:
        for row in scores["scores"]:
            if row["task"] == TASK:
                row["value"] = value
        for result in scores["seeds"].values():
            for score in result["scores"]:
                if score["task"] == TASK:
                    score["value"] = value

    return change


def other_gold(place: Path) -> Path:
    """Copy the bundled data, changing every gold answer in the first task's test split."""
    shutil.copytree(BUNDLED / "pocket" / "data", place / "pocket")
    path, labels = place / "pocket" / TASK / "test.jsonl", POCKET.tasks[TASK].labels
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line["label"] = labels[(labels.index(line["label"]) + 1) % len(labels)]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    return place


def data_in(place: Path) -> Callable[[Path], Path]:
    """Return a replacement for `data_folder` that looks for data below `place`."""
    return lambda declared: place / declared.name


BROKEN: dict[str, bytes] = {
    "no JSON": b'{"id": "1", "predi\n',
    "not UTF-8": b'{"id": "1", "prediction": "\xff\xfe"}\n',
    "another type": b'{"id": 1, "prediction": "favor"}\n',
    "no answer": b'{"id": "1"}\n',
    "an array": b"[1, 2]\n",
    "deep nesting": b'{"id": "1", "prediction": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    "zeroes": b"\0" * 4096 + b"\n",
    "scores that are none": b'{"id": "1", "prediction": "favor", "scores": ["a"]}\n',
    "a giant number": b'{"id": "1", "prediction": ' + b"9" * 10_000 + b"}\n",
}
"""Malformed lines of a predictions file."""
