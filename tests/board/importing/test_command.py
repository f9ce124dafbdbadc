"""`gluepot board import` from another process, while the board is open in this one."""

import json
import os
import subprocess
import sys
from pathlib import Path

from gluepot.cli import main


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GLUEPOT_", "DJANGO"))}
    command = [sys.executable, "-m", "gluepot", "board", "import", *words]
    return subprocess.run(command, capture_output=True, text=True, env=kept | environment)


def test_a_board_that_is_open_elsewhere_is_shared(board: Path, make_run) -> None:
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


def test_nothing_to_import_is_wrong_use(capsys) -> None:
    assert main(["board", "import"]) == 2
    assert "name a PATH, or --published" in capsys.readouterr().err


def test_an_unknown_suite_is_wrong_use(capsys) -> None:
    assert main(["board", "import", "x", "--suite", "superlin"]) == 2
    assert "Did you mean 'superlim'?" in capsys.readouterr().err
