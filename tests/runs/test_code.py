"""A run's identity covers the code that its answers depend on, and no other."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from gluepot.models import parse_model
from gluepot.records import Task
from gluepot.runs.storage import code
from gluepot.runs.storage.code import answering_code, code_fingerprint, reachable, scoring_code
from gluepot.tasks.declarations import load_suite

TASKS = list(load_suite("pocket").tasks.values())


@pytest.fixture
def edit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Return a function that simulates an edit of a module's source."""
    real = code._source

    def edited(module: str, old: str, new: str) -> None:
        path = real(module)
        assert path is not None
        assert old in path.read_text()
        copy = tmp_path / f"{module}.py"
        copy.write_text(path.read_text().replace(old, new, 1))
        monkeypatch.setattr(code, "_source", lambda name: copy if name == module else real(name))
        forget()

    forget()
    yield edited
    monkeypatch.undo()
    forget()


def forget() -> None:
    code._facts.cache_clear()


def answering(name: str, tasks: list[Task] = TASKS) -> str:
    return answering_code(parse_model(name), tasks)


def test_comments_and_docstrings_do_not_change_the_fingerprint(edit) -> None:  # type: ignore[no-untyped-def]
    before = answering("api:m@http://localhost")
    edit("gluepot.models.api.pace", "\nclass ", "\n# a word\nclass ")
    assert answering("api:m@http://localhost") == before
    edit("gluepot.models.api.pace", '"""', '"""Otherwise: ')
    assert answering("api:m@http://localhost") == before


def test_code_of_one_adapter_does_not_affect_the_others(edit) -> None:  # type: ignore[no-untyped-def]
    names = ("api:m@http://localhost", "lm:m", "majority", "tfidf-svm")
    before = [answering(name) for name in names]
    edit("gluepot.models.api.pace", "\nclass ", "\nFASTER = 1\nclass ")
    assert [answering(name) == one for name, one in zip(names, before, strict=True)] == [False, True, True, True]


def test_code_that_draws_shots_affects_prompted_models_only(edit) -> None:  # type: ignore[no-untyped-def]
    before = answering("lm:m"), answering("majority")
    edit("gluepot.runs.prediction.shots", "\ndef ", "\nMORE = 1\ndef ")
    assert (answering("lm:m") == before[0], answering("majority") == before[1]) == (False, True)


def test_code_of_metrics_and_scoring_affects_scores_but_not_answers(edit) -> None:  # type: ignore[no-untyped-def]
    for module in ("gluepot.metrics.nominal", "gluepot.runs.scores.scoring"):
        before = scoring_code(TASKS), answering("majority")
        edit(module, "\ndef ", "\nMORE = 1\ndef ")
        assert (scoring_code(TASKS) == before[0], answering("majority") == before[1]) == (False, True)


def test_output_modules_are_not_part_of_the_fingerprint() -> None:
    assert not reachable(["gluepot.runs.evaluation"]) & code.MESSAGE_MODULES
    assert all(find_spec(name) for name in code.MESSAGE_MODULES)


def test_a_missing_module_has_no_code() -> None:
    assert code_fingerprint(["gluepot.nothing"]) == code_fingerprint([])


def write_plugin(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    "files",
    [
        {"outside.py": "import numpy\nimport outside_too\nOLD = 1\n"},
        {
            "outside/__init__.py": "from .inner import rule\n",
            "outside/inner/__init__.py": "from . import rule\n",
            "outside/inner/rule.py": "OLD = 1\n",
        },
        {
            "outside/__init__.py": "from .inner import model\n",
            "outside/inner/model.py": "from ..rules import deep\n",
            "outside/rules/deep.py": "OLD = 1\n",
        },
        {"outside/__init__.py": "from . import rule\n", "outside/rule.py": "OLD = 1\n"},
    ],
    ids=["one module", "a package in it", "its parent's", "beside it"],
)
def test_code_of_a_plug_in_counts_for_every_style_of_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> None:
    def fingerprint(old: str) -> str:
        write_plugin(tmp_path, {name: text.replace("OLD", old) for name, text in files.items()})
        forget()
        return code_fingerprint(["outside"])

    monkeypatch.syspath_prepend(str(tmp_path))
    code._source.cache_clear()
    assert fingerprint("OLD") != fingerprint("NEW")
    code._source.cache_clear()
    forget()


def test_code_of_a_plug_in_answer_form_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(code, "code_fingerprint", lambda modules, alone=(): seen.extend(modules) or "")
    task = TASKS[0]
    own = type("Own", (type(code.KINDS[task.kind].answer),), {"__module__": "outside.forms"})("label")
    kinds = {task.kind: replace(code.KINDS[task.kind], answer=own)}
    monkeypatch.setattr(code, "KINDS", kinds)
    scoring_code([task])
    assert "outside.forms" in seen
