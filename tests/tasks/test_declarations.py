"""Every declared suite and task, and what a mistaken declaration is told."""

import re
import shutil
from pathlib import Path

import pytest

from gluepot.data.readers import READERS
from gluepot.errors import WrongUse
from gluepot.records import Suite, Task
from gluepot.submissions.formats import FORMATS
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import SUITES, load_suites, read_suite, read_task

ALL_SUITES = load_suites()
ALL_TASKS = [task for suite in ALL_SUITES for task in suite.tasks.values()]
BCP47 = {"sv", "da", "ru", "eu"}


@pytest.mark.parametrize("suite", ALL_SUITES, ids=lambda s: s.name)
def test_a_suite_says_what_it_is_and_how_it_is_averaged(suite: Suite) -> None:
    assert suite.title
    assert suite.version
    assert suite.citation
    assert suite.protocol, "the protocol of its reference results"
    assert suite.overall.terms
    assert suite.submission in FORMATS


@pytest.mark.parametrize("task", ALL_TASKS, ids=lambda t: t.path)
def test_a_task_is_declared_in_full(task: Task) -> None:
    assert task.language in BCP47
    assert task.domain
    assert task.license
    assert task.citation
    assert task.summary.endswith(".")
    assert task.data.rows, "sizes as published"
    assert task.data.files.keys() >= task.data.rows.keys()
    assert all(source.reader in READERS for source in task.sources)
    if task.suite != "pocket":
        assert task.data.hub or task.data.archive, "where the files come from"
    if task.trained_on:
        trainer = next(t for t in ALL_TASKS if t.suite == task.suite and t.name == task.trained_on)
        assert "train" in trainer.data.files


def test_pocket_has_every_kind_of_task_in_four_languages() -> None:
    pocket = [task for task in ALL_TASKS if task.suite == "pocket"]
    assert {task.kind for task in pocket} == set(KINDS)
    assert {task.language for task in pocket} == BCP47


def test_diagnostics_are_trained_on_their_inference_tasks() -> None:
    trained = {task.name: task.trained_on for task in ALL_TASKS if task.trained_on}
    assert trained == {"swediagnostics": "swenli", "swewinogender": "swenli", "LiDiRus": "TERRa"}


def test_unofficial_danish_tasks_are_marked() -> None:
    unofficial = {task.name for task in ALL_TASKS if not task.official}
    assert unofficial == {"dane", "belebele-da", "mmlu-da", "arc-da"}


@pytest.fixture
def swenli(tmp_path: Path) -> Path:
    """A copy of one declaration that a test may spoil."""
    folder = tmp_path / "superlim" / "swenli"
    shutil.copytree(SUITES / "superlim" / "swenli", folder)
    return folder


def spoil(folder: Path, old: str, new: str) -> None:
    path = folder / "task.toml"
    text = re.sub(r" +=", " =", path.read_text(encoding="utf-8"))
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"alpha-nominal"',
            '"alpha-nomial"',
            "superlim/swenli/task.toml: metrics: no metric 'alpha-nomial'. Did you mean 'alpha-nominal'?",
        ),
        ('"pair-classification"', '"pair-clasification"', "Did you mean 'pair-classification'?"),
        ('"alpha-nominal"', '"alpha-interval"', "alpha-interval judges number, a pair-classification task answers with label"),
        ("language =", "langauge =", "Did you mean 'language'?"),
        ("pair =", "pear =", "Did you mean 'pair'?"),
        ("title =", "title = 3 #", "Expected `str`, got `int`"),
        ("labels =", "scale = [0, 1] #", "needs its labels"),
        ("labels =", "coverage = 0.9\nlabels =", "coverage: only where may-skip = true."),
        ("labels =", "may-skip = true\ncoverage = 1.5\nlabels =", "coverage: a share of the items, above 0 and at most 1."),
        ("labels =", "published-skips = 'Left out.'\nlabels =", "published-skips: only where may-skip = true."),
        ("labels =", "off-scale = true\nlabels =", "off-scale: there is no scale that answers could leave."),
        ("labels =", "scale = [5, 1]\nlabels =", "scale: [lowest, highest], and these are not two such numbers."),
    ],
)
def test_a_mistake_in_a_declaration_is_one_sentence_with_its_place(swenli: Path, old: str, new: str, message: str) -> None:
    spoil(swenli, old, new)
    with pytest.raises(WrongUse) as error:
        read_task(swenli)
    assert message in str(error.value)
    assert str(error.value).startswith("superlim/swenli/task.toml: ")


def test_a_suite_must_name_each_of_its_task_folders(tmp_path: Path) -> None:
    shutil.copytree(SUITES / "supersim", tmp_path / "supersim")
    shutil.rmtree(tmp_path / "supersim" / "similarity")
    with pytest.raises(WrongUse, match="similarity"):
        read_suite(tmp_path / "supersim")
