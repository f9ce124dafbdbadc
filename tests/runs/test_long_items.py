"""An item of 90,000 tokens is read, scored, checked, answered and reported within two seconds of CPU time and little memory."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import pytest

LONG = 90_000
TYPES = ("PER", "LOC", "ORG", "MISC")
Row = dict[str, Any]


def rows(seed: int) -> list[Row]:
    """Return some sentences and a very long one, with entities of one to three tokens."""
    dice = Random(seed)
    words = [f"hitz{number}" for number in range(5_000)]
    found = []
    for number, length in enumerate([12] * 40 + [LONG]):
        tags: list[str] = []
        while len(tags) < length:
            kind = dice.choice(TYPES)
            tags += dice.choice([["O"] * 5, [f"B-{kind}"], [f"B-{kind}", f"I-{kind}", f"I-{kind}"]])
        found.append({"idx": number, "tokens": dice.choices(words, k=length), "tags": tags[:length]})
    return found


def write(path: Path, found: list[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in found))
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder with a very long item in every split of BasqueGLUE's named-entity task."""
    folder = tmp_path_factory.mktemp("data")
    for seed, split in enumerate(("train", "val", "test")):
        write(folder / "basqueglue" / "nerc_id" / f"{split}.jsonl", rows(seed))
    return folder


COMMAND = """
import pathlib, sys
from gluepot.cli import main
code = main(sys.argv[1:])
print("peak", *(line for line in pathlib.Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")), file=sys.stderr)
sys.exit(code)
"""
"""Command that prints its own peak memory: the system's figure for a child includes its parent's memory before the start."""


def gluepot(data: Path, *words: str) -> tuple[int, str, float, float]:
    """Run a command and return its exit code, output, CPU seconds and peak memory in megabytes."""
    before = getrusage(RUSAGE_CHILDREN)
    environment = {**os.environ, "GLUEPOT_DATA": str(data), "COLUMNS": "200"}
    done = subprocess.run([sys.executable, "-c", COMMAND, *words], env=environment, capture_output=True, text=True)
    after = getrusage(RUSAGE_CHILDREN)
    megabytes = int(done.stderr.split()[-2]) / 1024
    return done.returncode, done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, megabytes


def quick(data: Path, *words: str, limit: float = 2) -> tuple[int, str]:
    """Run a command within limits of time and memory, up to three times, since a busy machine only adds time."""
    for _ in range(3):
        code, said, seconds, megabytes = gluepot(data, *words)
        if seconds <= limit:
            break
    assert seconds <= limit
    assert megabytes <= 200
    return code, said


Answer = Callable[[list[str]], list[Any]]
SHAPES = pytest.mark.parametrize("whole", [True, False], ids=["with-tokens", "tags-alone"])


def score(answer: Answer, whole: bool, data: Path, folder: Path) -> tuple[int, Any]:
    given = [{**(row if whole else {"idx": row["idx"]}), "tags": answer(row["tags"])} for row in rows(2)]
    code, printed = quick(data, "score", "basqueglue/nerc_id", str(write(folder / "nerc_id.jsonl", given)), "--json")
    return code, json.loads(printed)


@SHAPES
@pytest.mark.parametrize(
    ("answer", "low", "high"),
    [
        (lambda tags: tags, 1.0, 1.0),
        (lambda tags: ["B-PER", "I-LOC"] * (len(tags) // 2), 0.01, 0.2),
        (lambda tags: ["I-PER"] * len(tags), 0.0, 0.0),
    ],
    ids=["right", "alternating", "one-span"],
)
def test_ninety_thousand_tags_in_a_row_are_scored(answer: Answer, low: float, high: float, whole: bool, data: Path, tmp_path: Path) -> None:
    code, found = score(answer, whole, data, tmp_path)
    assert code == 0
    assert low <= found["scores"][0]["value"] <= high


@SHAPES
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda tags: tags[:-1], "89,999 tags for 90,000 tokens."),
        (lambda tags: [*tags[:-1], "B-PERS"], "'B-PERS' is not a tag of this task."),
        (lambda tags: [f"B-{number}" for number in range(len(tags))], "'B-0' is not a tag of this task."),
        (lambda tags: [0] * len(tags), "is not a list of tags."),
    ],
    ids=["one-short", "one-unknown", "all-unknown", "numbers"],
)
def test_ninety_thousand_wrong_tags_in_a_row_are_refused(answer: Answer, message: str, whole: bool, data: Path, tmp_path: Path) -> None:
    code, found = score(answer, whole, data, tmp_path)
    assert code == 1
    assert found["problems"][-1]["message"].endswith(message)


def test_data_with_ninety_thousand_tags_in_a_row_are_checked(data: Path) -> None:
    code, printed = quick(data, "data", "check", "basqueglue/nerc_id")
    assert code == 1
    assert f"{LONG + 40 * 12:,} tokens" in printed


def test_ninety_thousand_tags_in_a_row_are_answered_compared_and_reported(data: Path, tmp_path: Path) -> None:
    runs = [str(tmp_path / name) for name in ("majority", "random")]
    _, _, start_up, _ = gluepot(data, "evaluate", "majority", "pocket/entities-da", "--out", str(tmp_path / "short"))
    for run in runs:
        assert quick(data, "evaluate", Path(run).name, "basqueglue/nerc_id", "--out", run, limit=1.1 + start_up)[0] == 0
    assert quick(data, "compare", *runs)[0] == 0
    assert quick(data, "report", *runs, "-o", str(tmp_path / "report.html"))[0] == 0
    assert (tmp_path / "report.html").stat().st_size < 200_000
