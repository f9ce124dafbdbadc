"""`gluepot board import` in another process while this one has the board open."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gluepot.cli import main


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GLUEPOT_", "DJANGO"))}
    command = [sys.executable, "-m", "gluepot", "board", "import", *words]
    return subprocess.run(command, capture_output=True, text=True, env=kept | environment)


def test_board_open_in_another_process_is_shared(board: Path, make_run) -> None:
    from gluepot.board.models import Entry, Revision

    done = run(str(make_run()), "--dir", str(board))
    assert done.returncode == 0, done.stderr
    assert "run         tfidf-svm  pocket 1" in done.stdout
    assert "1 entry imported, 0 already there" in done.stdout
    assert (Entry.objects.count(), Revision.objects.get().number) == (1, 2)  # the entry, then the snapshot of its suite


def test_problems_come_last_and_set_the_exit_code(board: Path, make_run, tmp_path: Path) -> None:
    done = run(str(tmp_path / "nowhere"), str(make_run()), str(make_run("b", limit=2)), "--dir", str(board), "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert done.stderr == ""
    assert [line["system"] for line in report["lines"]] == ["tfidf-svm"]
    assert [problem["code"] for problem in report["problems"]] == ["unreadable", "refused-run"]


def test_import_without_paths_is_a_usage_error(capsys) -> None:
    assert main(["board", "import"]) == 2
    assert "give a PATH, or --published" in capsys.readouterr().err


def test_unknown_suite_is_a_usage_error(capsys) -> None:
    assert main(["board", "import", "x", "--suite", "superlin"]) == 2
    assert "Did you mean 'superlim'?" in capsys.readouterr().err


@pytest.mark.slow
def test_change_is_reported_as_text_and_json_and_applied_with_replace(board: Path, make_run) -> None:
    first, second = make_run(wrong=0.6), make_run(wrong=0.1)
    assert run(str(first), "--dir", str(board)).returncode == 0
    told = run(str(second), "--dir", str(board))
    assert told.returncode == 1
    assert f"would change: tfidf-svm, pocket 1, from {second}\n  stance-sv test alpha-nominal: " in told.stderr
    assert f" ({first.name}) → " in told.stderr
    assert "--replace shows the new ones" in told.stderr
    listed = json.loads(run(str(second), "--dir", str(board), "--json").stdout)
    assert {change["replaced"] for change in listed["changes"]} == {False}
    assert {"system", "task", "metric", "old", "new", "source"} <= listed["changes"][0].keys()
    made = run(str(second), "--dir", str(board), "--replace")
    assert made.returncode == 0, made.stderr
    assert f"changed: tfidf-svm, pocket 1, from {second}" in made.stderr
    quiet = run(str(second), "--dir", str(board))
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert "already there" in quiet.stdout


def test_name_option_names_the_system(board: Path, make_run) -> None:
    folder = make_run()
    assert run(str(folder), "--dir", str(board), "--name", "Our best").stdout.startswith("run         Our best  pocket 1")
    assert run(str(folder), "--published", "--name", "x", "--dir", str(board)).returncode == 2
    assert "a name is needed" in run(str(folder), "--name", " ", "--dir", str(board)).stderr
