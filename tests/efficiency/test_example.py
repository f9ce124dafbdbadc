"""Example models as commands and images."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from gluepot.models.command import Command
from gluepot.records import Example
from gluepot.tasks.declarations import find

EXAMPLE = Path(__file__).parents[2] / "examples" / "programs" / "baseline.py"


def test_the_example_streams_its_answers() -> None:
    task = find("pocket/stance-sv")[1]
    assert task is not None
    items = [Example("1", {"text": "kort"}), Example("2", {"text": "lång " * 30})]
    answers = Command("command", f"{sys.executable} -S {EXAMPLE}", 0, batch_size=1).predict(task, items)
    assert [answer.output for answer in answers] == [task.labels[0], task.labels[-1]]


@pytest.mark.slow
def test_the_example_encoder_runs_in_the_sandbox(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    pytest.importorskip("torch", reason="torch is not installed")
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap: apt-get install bubblewrap")
    from tests.models.encoder.conftest import make_model

    task = find("pocket/stance-sv")[1]
    assert task is not None
    folder = make_model(tmp_path / "model", "bert")
    named = {"id2label": dict(enumerate(task.labels)), "label2id": {label: number for number, label in enumerate(task.labels)}}
    config = transformers.AutoConfig.from_pretrained(folder, **named)
    transformers.AutoModelForSequenceClassification.from_config(config).save_pretrained(folder)
    command = f"{sys.executable} {EXAMPLE.with_name('encoder.py')} --model {folder}"
    items = [Example("1", {"text": "kort"}), Example("2", {"text": "lång " * 30}), Example("3", {"text": "ja"})]
    answers = Command("command", command, 0, batch_size=2, sandbox=True).predict(task, items)
    assert {answer.output for answer in answers} <= set(task.labels)
    assert [answer.id for answer in answers] == ["1", "2", "3"]


@pytest.mark.parametrize("name", ["baseline", "encoder"])
def test_example_images_start_the_program_that_they_contain(name: str) -> None:
    lines = (EXAMPLE.parents[1] / "images" / name / "Dockerfile").read_text().splitlines()
    copied = [line.split()[1:] for line in lines if line.startswith("COPY")]
    [entry] = [json.loads(line.partition(" ")[2]) for line in lines if line.startswith("ENTRYPOINT")]
    assert [f"{name}.py", f"/{name}.py"] in copied
    assert f"/{name}.py" in entry
    assert EXAMPLE.with_name(f"{name}.py").is_file()
