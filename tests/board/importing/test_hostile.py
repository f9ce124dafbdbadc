"""Import of untrusted runs: manifests are verified, systems of other owners are protected, and no run aborts a batch."""

import shutil
from pathlib import Path

import pytest
from tests.runs.hostile import FILES, HOSTILE, MANIFESTS, identity, manifest, sparse
from tests.runs.tampering import make

from gluepot.cli import main
from gluepot.data.examples import load_examples
from gluepot.records import Prediction
from gluepot.runs.storage.manifest import read_manifest
from gluepot.runs.storage.store import RunFolder
from gluepot.runs.verification import gold_answer
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")
LATER = ("word-sense-sv",)


@pytest.fixture
def bring(board):
    from gluepot.board.importing import import_paths

    return lambda *paths, **wishes: import_paths(paths, **wishes)


def shown(system: str) -> dict[tuple[str, str], float]:
    from gluepot.board.models import Score

    rows = Score.objects.filter(entry__system__name=system, current=True, value__isnull=False)
    return {(task, metric): value for task, metric, value in rows.values_list("task", "metric", "value")}


def codes(report) -> list[str]:
    return [problem.code for problem in report.problems]


def test_hostile_runs_do_not_block_other_imports(bring, tmp_path):
    honest = make(tmp_path / "honest")
    for number, (name, harm) in enumerate(HOSTILE.items()):
        harm(shutil.copytree(honest, tmp_path / "batch" / f"{number:02}" / f"{number:02} {name}"))
    shutil.copytree(honest, tmp_path / "batch" / "zz-honest")
    report = bring(tmp_path / "batch")
    assert "zz-honest" in [line.source for line in report.lines], "the last of them all"
    told = "\n".join(str(problem) for problem in report.problems)
    for number, name in enumerate(HOSTILE):
        if name in MANIFESTS or name in FILES:
            assert f"{number:02} {name}/" in told, name
    assert "Error" not in told


def test_exit_code_is_nonzero_if_a_run_is_refused(bring, tmp_path, board, capsys):
    honest, hostile = make(tmp_path / "honest"), make(tmp_path / "hostile", "random")
    identity(seeds=[])(hostile)
    assert main(["board", "import", str(hostile), str(honest), "--dir", str(board)]) == 1
    printed = capsys.readouterr()
    assert "tfidf-svm" in printed.out
    assert "seeds: []: some are needed" in printed.err


def test_huge_files_are_refused_unread(bring, tmp_path, monkeypatch):
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) if path.stat().st_size < 2**30 else pytest.fail(f"{path} was read"))
    sparse("records.jsonl")(tmp_path / "records")
    sparse("RCB/1_1_0.jsonl")(tmp_path / "timings")
    assert codes(bring(tmp_path / "records")) == ["too-large"]
    report = bring(tmp_path / "timings")
    assert set(codes(report)) == {"odd-timing"}
    assert "more than 64 MB" in report.problems[0].message


@pytest.mark.parametrize("limit", [None, 2, 40])
def test_two_answers_per_task_yield_no_score_for_any_claimed_limit(bring, tmp_path, limit):
    from gluepot.board.models import Score

    run = RunFolder(make(tmp_path / "run"))
    for file in run.prediction_files():
        task = POCKET.tasks[file.path.parent.name]
        file.path.write_bytes(b"")
        file.append([Prediction(example.id, gold_answer(task, example)) for example in load_examples(task, "test")[:2]])
    identity(limit=limit)(run.path)
    manifest(partial=False)(run.path)
    report = bring(run.path)
    assert report.lines == []
    assert report.problems
    assert not Score.objects.filter(value__isnull=False).exists()


def test_limited_run_is_partial_even_if_its_manifest_denies_it(tmp_path):
    run = make(tmp_path / "run", limit=2)
    manifest(partial=False)(run)
    assert read_manifest(RunFolder(run)).partial


def test_naming_a_system_does_not_take_it_over(bring, make_run):
    bring(make_run("encoder:honest/model"), owner="ann")
    before = shown("honest/model")
    thief = make_run("encoder:honest/model", wrong=0.0)
    for wishes in ({}, {"replace": True}, {"name": "honest/model"}, {"name": "honest/model", "replace": True}):
        report = bring(thief, owner="eve", **wishes)
        assert codes(report) == ["other-owner"], wishes
        assert "ann" in report.problems[0].message
        assert shown("honest/model") == before


def test_only_the_owner_adds_scores_to_a_system(bring, make_run):
    bring(make_run("encoder:honest/model"), owner="ann")
    before = shown("honest/model")
    assert codes(bring(make_run("encoder:honest/model", tasks=LATER), owner="eve")) == ["other-owner"]
    assert shown("honest/model") == before
    assert bring(make_run("encoder:honest/model", tasks=LATER), owner="ann").problems == []
    assert set(before) < set(shown("honest/model"))


@pytest.mark.parametrize("name", ["honest/model\u3164", "honest/model ", "hon\u034fest/model", "honest/model\ufe0f", "honest/model\u2800"])
def test_invisible_characters_do_not_make_another_name(bring, make_run, name):
    bring(make_run("encoder:honest/model"), owner="ann")
    assert codes(bring(make_run(f"encoder:{name}", wrong=0.0), owner="eve")) == ["other-owner"]
    assert codes(bring(make_run(f"encoder:{name}", wrong=0.0), owner="ann")) == ["other-system"]


@pytest.mark.parametrize("name", ["h\u043enest/model", "\uff48onest/model", "honest\uff0fmodel"])
def test_lookalike_name_is_refused(bring, make_run, name):
    bring(make_run("encoder:honest/model"), owner="ann")
    for owner in ("ann", "eve"):
        report = bring(make_run(f"encoder:{name}", wrong=0.0), owner=owner)
        assert codes(report) == ["lookalike"]
        assert "'honest/model'" in report.problems[0].message
    assert bring(make_run(f"encoder:{name}", wrong=0.0), owner="eve", name="Eve's").problems == []
    assert bring(make_run("encoder:Honest/Model", wrong=0.0), owner="eve").problems == [], "another case is seen"


def test_other_name_creates_a_system_of_the_importer(bring, make_run):
    from gluepot.board.models import System

    bring(make_run("encoder:honest/model"), owner="ann")
    before = shown("honest/model")
    assert bring(make_run("encoder:honest/model", wrong=0.0), owner="eve", name="Eve's").problems == []
    report = bring(make_run("encoder:honest/model", wrong=0.0, tasks=LATER), owner="eve")
    assert [line.system for line in report.lines] == ["Eve's"], "her own is found by what it is"
    assert shown("honest/model") == before
    assert dict(System.objects.values_list("name", "owner")) == {"honest/model": "ann", "Eve's": "eve"}


def test_importer_is_the_owner_by_default(bring, make_run, board, capsys):
    import os
    import pwd

    from gluepot.board.models import System

    bring(make_run("encoder:org/one"))
    assert System.objects.get().owner == pwd.getpwuid(os.getuid()).pw_name
    assert main(["board", "import", str(make_run("encoder:org/two")), "--owner", "ann", "--dir", str(board)]) == 0
    assert System.objects.get(name="org/two").owner == "ann"
    assert main(["board", "import", str(make_run("encoder:org/two", tasks=LATER)), "--dir", str(board)]) == 1
    assert "--owner" in capsys.readouterr().err


def test_submissions_and_published_results_have_owners(bring, tmp_path, make_run):
    from tests.board.importing.sources.test_submissions import write_answers

    from gluepot.board.importing import import_published
    from gluepot.board.models import System

    write_answers(tmp_path / "tfidf-svm", "stance-sv")
    bring(tmp_path / "tfidf-svm", owner="ann")
    assert codes(bring(make_run("tfidf-svm"), owner="eve", name="tfidf-svm")) == ["other-owner"]
    import_published(owner="keeper")
    assert set(System.objects.exclude(name="tfidf-svm").values_list("owner", flat=True)) == {"keeper"}


def test_migration_assigns_systems_without_owner_to_the_current_user(bring, make_run):
    from importlib import import_module

    from django.apps import apps

    from gluepot.board.importing.systems.owners import current_owner
    from gluepot.board.models import System

    bring(make_run())
    System.objects.update(owner="")
    import_module("gluepot.board.migrations.0004_owner").take_over(apps, None)
    assert System.objects.get().owner == current_owner()
    assert bring(make_run(tasks=LATER)).problems == []
