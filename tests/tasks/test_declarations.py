"""Completeness of every declared suite and task."""

import pytest

from gluepot.records import Suite, Task
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import load_suites
from gluepot.tasks.formats import FORMATS, READERS

ALL_SUITES = load_suites()
ALL_TASKS = [task for suite in ALL_SUITES for task in suite.tasks.values()]
BCP47 = {"sv", "da", "ru", "eu"}


@pytest.mark.parametrize("suite", ALL_SUITES, ids=lambda s: s.name)
def test_a_suite_is_declared_in_full(suite: Suite) -> None:
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
