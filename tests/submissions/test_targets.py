"""Task and split of a file, inferred from its path."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluepot.submissions.opening.targets import SPLITS, Target, UnmatchedFile, resolve_target
from gluepot.tasks.declarations import load_suite

SUPERLIM, RUSSIAN, BASQUE = (load_suite(name) for name in ("superlim", "russian-superglue", "basqueglue"))


def place(name: str, split: str | None = None, suite: Any = SUPERLIM) -> tuple[str, str]:
    found = resolve_target(suite, name, split)
    assert isinstance(found, Target), found
    return found.task.name, found.split


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("swenli/test.jsonl", ("swenli", "test")),
        ("swenli/dev.jsonl", ("swenli", "dev")),
        ("wrap/ped/swenli/dev.jsonl", ("swenli", "dev")),
        ("dev/swenli.jsonl", ("swenli", "dev")),
        ("swenli.jsonl", ("swenli", "test")),
        ("SweNLI.jsonl", ("swenli", "test")),
        ("swenli_dev.jsonl", ("swenli", "dev")),
        ("swenli-dev.jsonl", ("swenli", "dev")),
        ("swenli__dev.jsonl", ("swenli", "dev")),
        ("swenli.dev.jsonl", ("swenli", "dev")),
        ("swenli/swenli_dev.jsonl", ("swenli", "dev")),
        ("swenli/predictions_dev.jsonl", ("swenli", "dev")),
        ("swenli/predictions.jsonl", ("swenli", "test")),
        ("swenli/dev/predictions.jsonl", ("swenli", "dev")),
        ("dev/swenli/predictions.jsonl", ("swenli", "dev")),
        ("swenli/validation.jsonl", ("swenli", "dev")),
        ("swenli/VAL.jsonl", ("swenli", "dev")),
        ("supersim_superlim_similarity/test.jsonl", ("supersim-superlim-similarity", "test")),
        ("supersim-superlim-similarity_test.jsonl", ("supersim-superlim-similarity", "test")),
        ("sub\\swenli\\dev.jsonl", ("swenli", "dev")),
    ],
)
def test_task_and_split_are_found_in_every_usual_spelling(name: str, wanted: tuple[str, str]) -> None:
    assert place(name) == wanted


def test_the_requested_split_applies_to_files_that_name_none() -> None:
    assert place("swenli.jsonl", "dev") == ("swenli", "dev")
    assert place("swenli/test.jsonl", "dev") == ("swenli", "test")
    assert place("MuSeRC.jsonl", "dev", RUSSIAN) == ("MuSeRC", "val")
    assert place("submission/nerc_id.jsonl", None, BASQUE) == ("nerc_id", "test")


def test_a_split_that_the_task_lacks_is_a_notice() -> None:
    found = resolve_target(SUPERLIM, "swediagnostics/dev.jsonl", None)
    assert found == UnmatchedFile("swediagnostics has no dev split: ignored")


@pytest.mark.parametrize(
    ("name", "words"),
    [("swenly.jsonl", "Did you mean 'swenli'?"), ("swenly/test.jsonl", "Did you mean 'swenli'?"), ("test.jsonl", "'test'")],
)
def test_an_unknown_task_is_a_problem_with_the_nearest_name(name: str, words: str) -> None:
    found = resolve_target(SUPERLIM, name, None)
    assert isinstance(found, UnmatchedFile)
    assert found.code == "unknown-task"
    assert words in found.message
    assert found.hint == "Name the file after its task."


def test_a_task_of_another_suite_is_named() -> None:
    found = resolve_target(SUPERLIM, "TERRa.jsonl", None)
    assert isinstance(found, UnmatchedFile)
    assert (found.code, found.hint) == ("unknown-task", "It is a task of russian-superglue: `gluepot score russian-superglue …`.")


def test_a_requested_task_applies_to_a_file_of_any_name() -> None:
    assert resolve_target(SUPERLIM, "swewic_dev.jsonl", None, SUPERLIM.tasks["swenli"]) == Target(SUPERLIM.tasks["swenli"], "dev")


@pytest.mark.parametrize("suite", [SUPERLIM, RUSSIAN, BASQUE], ids=lambda suite: suite.name)
def test_every_task_is_found_under_its_own_name(suite: Any) -> None:
    for name, task in suite.tasks.items():
        for split in task.data.files:
            assert place(f"{name}/{split}.jsonl", None, suite) == place(f"x/{split}/{name}.jsonl", None, suite) == (name, split)


@given(
    st.lists(st.sampled_from(["swenli", "swewic", *SPLITS, "x", "", ".", "..", "a_b", "_", "-dev"]), max_size=4),
    st.text(max_size=10),
    st.none() | st.sampled_from(SPLITS),
)
def test_any_path_has_a_target_or_a_reason(parts: list[str], last: str, split: str | None) -> None:
    found = resolve_target(SUPERLIM, "/".join([*parts, last]), split)
    assert isinstance(found, Target) or found.message
