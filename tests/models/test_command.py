"""Program as a model: its output is parsed strictly, and failures and timeouts are reported."""

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


def test_program_receives_items_and_returns_predictions(tmp_path: Path) -> None:
    text = READ + "    print(json.dumps({'id': item['id'], 'prediction': item['labels'][int(item['id']) % 3]}))\n"
    assert TASK is not None
    assert ask(tmp_path, text) == [TASK.labels[n % 3] for n in range(5)]


def test_tilde_expands_to_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    program(tmp_path, READ + "    print(json.dumps({'id': item['id'], 'prediction': sys.argv[1]}))\n")
    assert TASK is not None
    answers = Command("command", f"{sys.executable} ~/model.py ~/weights", 0).predict(TASK, ITEMS)
    assert answers[0].output == str(tmp_path / "weights")


def test_batch_size_is_passed_to_the_program(tmp_path: Path) -> None:
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
def test_program_failures_are_reported(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(GluepotError, match=message):
        ask(tmp_path, text)


def test_program_that_exceeds_the_time_limit_is_terminated(tmp_path: Path) -> None:
    with pytest.raises(GluepotError, match="took more than 1 s"):
        ask(tmp_path, "import time\ntime.sleep(60)\n", time_limit=1)


def test_missing_program_is_named() -> None:
    assert TASK is not None
    with pytest.raises(GluepotError, match="cannot start no-such-program"):
        Command("command", "no-such-program --x", 0).predict(TASK, ITEMS)


needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap: apt-get install bubblewrap")


@needs_sandbox
def test_sandboxed_program_answers_without_access_to_the_data(tmp_path: Path) -> None:
    text = READ + "    print(json.dumps({'id': item['id'], 'prediction': os.path.exists(sys.argv[1])}))\n"
    assert TASK is not None
    (tmp_path / "model.py").write_text("import os\n" + text)
    labels = find_files(TASK, "test")[1][0]
    command = f"{sys.executable} -S {tmp_path / 'model.py'} {labels}"
    assert Command("command", command, 0).predict(TASK, ITEMS)[0].output is True
    assert [answer.output for answer in Command("command", command, 0, sandbox=True).predict(TASK, ITEMS)] == [False] * 5


@needs_sandbox
def test_exceeded_sandbox_limit_is_named(tmp_path: Path) -> None:
    assert TASK is not None
    model = Command(
        "command", program(tmp_path, "x = bytearray(200 * 2**20)\nimport time\ntime.sleep(20)"), 0, sandbox=True, memory_limit=64
    )
    with pytest.raises(GluepotError, match="held more than 64 MiB of memory and was ended"):
        model.predict(TASK, ITEMS)


def test_sandbox_limits_require_the_sandbox() -> None:
    with pytest.raises(WrongUse, match="--memory-limit: only with --sandbox"):
        Command("command", "true", 0, memory_limit=64)
