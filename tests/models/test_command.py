"""A program as a model: its answers are read strictly, its end and its silence are told."""

import shutil
import sys
from pathlib import Path

import pytest

from gluepot.data.folders import find_files
from gluepot.errors import GluepotError, WrongUse
from gluepot.models.command import Command
from gluepot.records import Example
from gluepot.tasks.declarations import find

TASK = find("pocket/stance-sv")[1]
ITEMS = [Example(str(number), {"text": f"text {number}"}) for number in range(5)]
READ = "import json, sys\nfor line in sys.stdin:\n    item = json.loads(line)\n"


def program(tmp_path: Path, text: str) -> str:
    (tmp_path / "model.py").write_text(text)
    return f"{sys.executable} {tmp_path / 'model.py'}"


def ask(tmp_path: Path, text: str, **options: int) -> list[object]:
    assert TASK is not None
    model = Command("command", program(tmp_path, text), 0, **options)
    return [prediction.output for prediction in model.predict(TASK, ITEMS)]


def test_a_program_gets_the_item_and_answers_it(tmp_path: Path) -> None:
    text = READ + "    print(json.dumps({'id': item['id'], 'prediction': item['labels'][int(item['id']) % 3]}))\n"
    assert TASK is not None
    assert ask(tmp_path, text) == [TASK.labels[n % 3] for n in range(5)]


def test_a_tilde_is_the_home_as_in_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    program(tmp_path, READ + "    print(json.dumps({'id': item['id'], 'prediction': sys.argv[1]}))\n")
    assert TASK is not None
    answers = Command("command", f"{sys.executable} ~/model.py ~/weights", 0).predict(TASK, ITEMS)
    assert answers[0].output == str(tmp_path / "weights")


def test_the_batch_size_is_handed_on(tmp_path: Path) -> None:
    text = READ + "    print(json.dumps({'id': item['id'], 'prediction': sys.argv[1:]}))\n"
    assert ask(tmp_path, text, batch_size=8)[0] == ["--batch-size", "8"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (READ + "    print('neutral')\n", "line 1 of the program's output: not JSON"),
        (READ + '    print(\'{"id": "0", "prediction": 1, "prediction": 2}\')\n', "occurs twice"),
        (READ + '    print(\'{"id": "9", "prediction": 1}\')\n', "expected"),
        ("import sys\nprint('no memory', file=sys.stderr)\nsys.exit(3)\n", "answered 0 of 5 items.*It said: no memory"),
        (READ + "    print(json.dumps({'id': item['id'], 'prediction': 1}))\nsys.exit(4)\n", "ended with code 4"),
    ],
    ids=["no JSON", "duplicate key", "wrong item", "dies at once", "ends badly"],
)
def test_what_goes_wrong_is_told_in_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(GluepotError, match=message):
        ask(tmp_path, text)


def test_a_program_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    with pytest.raises(GluepotError, match="took more than 1 s"):
        ask(tmp_path, "import time\ntime.sleep(60)\n", time_limit=1)


def test_a_program_that_is_not_there_is_named() -> None:
    assert TASK is not None
    with pytest.raises(GluepotError, match="cannot start no-such-program"):
        Command("command", "no-such-program --x", 0).predict(TASK, ITEMS)


needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap: apt-get install bubblewrap")


@needs_sandbox
def test_the_sandbox_gives_the_same_answers_and_no_sight_of_the_data(tmp_path: Path) -> None:
    text = READ + "    print(json.dumps({'id': item['id'], 'prediction': os.path.exists(sys.argv[1])}))\n"
    assert TASK is not None
    (tmp_path / "model.py").write_text("import os\n" + text)
    labels = find_files(TASK, "test")[1][0]
    command = f"{sys.executable} -S {tmp_path / 'model.py'} {labels}"
    assert Command("command", command, 0).predict(TASK, ITEMS)[0].output is True
    assert [answer.output for answer in Command("command", command, 0, sandbox=True).predict(TASK, ITEMS)] == [False] * 5


@needs_sandbox
def test_a_limit_that_is_broken_in_the_sandbox_is_named(tmp_path: Path) -> None:
    assert TASK is not None
    model = Command(
        "command", program(tmp_path, "x = bytearray(200 * 2**20)\nimport time\ntime.sleep(20)"), 0, sandbox=True, memory_limit=64
    )
    with pytest.raises(GluepotError, match="held more than 64 MiB of memory and was ended"):
        model.predict(TASK, ITEMS)


def test_limits_of_the_sandbox_without_it_are_wrong_use() -> None:
    with pytest.raises(WrongUse, match="--memory-limit: only with --sandbox"):
        Command("command", "true", 0, memory_limit=64)
