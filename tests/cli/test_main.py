"""Basics of the command line: help, suggestions for typos, and descriptions of suites and tasks."""

import json

import pytest

from gluepot import __version__
from gluepot.cli import COMMANDS, main


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(words)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert all(name in out for name in COMMANDS)


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version")[1] == f"gluepot {__version__}\n"


def test_an_unknown_command_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "scroe")
    assert (code, out) == (2, "")
    assert "Did you mean 'score'?" in err


def test_an_unknown_suite_or_task_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "show", "superlin")[0] == 2
    code, _, err = run(capsys, "show", "superlim/swenly")
    assert code == 2
    assert "Did you mean 'swenli'?" in err


def test_suites_as_json_lists_each_task_with_kind_and_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = run(capsys, "suites", "--json")
    suites = {suite["name"]: suite for suite in json.loads(out)["suites"]}
    assert err == ""
    assert {name: len(suite["tasks"]) for name, suite in suites.items()} == {
        "basqueglue": 10,
        "pocket": 13,
        "russian-superglue": 9,
        "scandeval-da": 12,
        "superlim": 15,
        "supersim": 2,
    }
    assert suites["russian-superglue"]["version"] == "1.1"
    for suite in suites.values():
        assert all(task["kind"] and task["metrics"] for task in suite["tasks"])


def test_show_prints_the_sheet_of_a_task_regardless_of_case(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "show", "superlim/SweWinogender")
    assert code == 0
    assert "IV. ETHICS AND CAVEATS" in out
    assert "208" in out


def test_show_prints_a_suite_with_its_average(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "show", "basqueglue")
    assert "nerc_id & nerc_od" in out


def test_show_as_json_contains_the_declaration_and_the_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(run(capsys, "show", "superlim/swefaq", "--json")[1])
    assert document["task"]["metric-options"]["pseudo-alpha"]["chance"] == [109, 2049]
    assert "Abstract*" in document["sheet"]


def test_score_without_data_prints_the_command_to_fetch_it(
    capsys: pytest.CaptureFixture[str], tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path / "nothing"))
    (tmp_path / "swenli.jsonl").write_text('{"id": 1, "prediction": "neutral"}\n')
    code, out, err = run(capsys, "score", "superlim", str(tmp_path / "swenli.jsonl"))
    assert (code, out) == (3, "")
    assert "gluepot data fetch superlim" in err


def test_score_of_a_missing_path_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "score", "pocket", "no-such-folder")
    assert code == 2
    assert "no such file or folder" in err
