"""Lookup of suites: by path, on the search path, among the bundled ones."""

import os
from pathlib import Path

import pytest
from tests.tasks.own_suite import write_faroe

from gluepot.cli import main
from gluepot.errors import WrongUse
from gluepot.tasks.declarations import find, load_suite, load_suites
from gluepot.tasks.search_path import own_search_path


@pytest.mark.parametrize("place", ["./faroe", "faroe", "{}/faroe", "./faroe/"])
def test_a_suite_is_found_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    folder = write_faroe(tmp_path)
    monkeypatch.chdir(tmp_path)
    suite, task = find(place.format(tmp_path))
    assert (suite.name, suite.folder, task) == ("faroe", str(folder), None)


@pytest.mark.parametrize("place", ["./faroe/reviews", "faroe/reviews", "{}/faroe/reviews", "./faroe/Reviews"])
def test_a_task_is_found_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    write_faroe(tmp_path)
    monkeypatch.chdir(tmp_path)
    _, task = find(place.format(tmp_path))
    assert task is not None
    assert task.path == "faroe/reviews"


def test_a_suite_is_found_as_a_dot_inside_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_faroe(tmp_path))
    assert find(".")[0].name == "faroe"
    task = find("./pairs")[1]
    assert task is not None
    assert task.name == "pairs"


def test_a_suite_is_found_by_name_on_the_search_path_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_faroe(tmp_path / "a", "first")
    second = write_faroe(tmp_path / "b", "second")
    monkeypatch.setenv("GLUEPOT_SUITES", os.pathsep.join([str(tmp_path / "a"), str(second)]))
    assert load_suite("First").name == "first"
    assert load_suite("second").folder == str(second)
    assert {"first", "second", "pocket"} <= {suite.name for suite in load_suites()}


def test_requested_suites_come_first_and_are_passed_to_child_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUEPOT_SUITES", "/nowhere")
    write_faroe(tmp_path)
    with own_search_path([tmp_path]):
        assert os.environ["GLUEPOT_SUITES"] == f"{tmp_path}{os.pathsep}/nowhere"
        assert load_suite("faroe").folder == str(tmp_path / "faroe")
    assert os.environ["GLUEPOT_SUITES"] == "/nowhere"


@pytest.mark.parametrize("words", [("show", "./faroe"), ("show", "faroe", "--suites", ".")])
def test_a_suite_found_by_path_is_unknown_by_name_to_the_next_command(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_faroe(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(words) == 0
    monkeypatch.chdir("/")
    assert main(["show", "faroe"]) == 2
    assert "no suite 'faroe'" in capsys.readouterr().err


def test_a_folder_without_a_suite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="has no suite"), own_search_path([tmp_path]):
        pass


def test_rejects_two_suites_of_one_name_and_names_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = write_faroe(tmp_path / "a"), write_faroe(tmp_path / "b")
    monkeypatch.setenv("GLUEPOT_SUITES", os.pathsep.join([str(tmp_path / "a"), str(tmp_path / "b"), str(tmp_path / "a")]))
    with pytest.raises(WrongUse, match=f"two suites are called faroe: {one} and {other}"):
        load_suite("faroe")
    assert load_suite(other).folder == str(other)


def test_an_unknown_name_is_reported_with_the_search_options() -> None:
    with pytest.raises(WrongUse, match=r"no suite 'faroes'\. .*--suites DIR, or by \$GLUEPOT_SUITES"):
        load_suite("faroes")


def test_reports_a_path_without_a_suite(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match=r"there is no suite: neither that folder nor the one above has a suite\.toml"):
        load_suite(tmp_path / "faroe")


def test_suggests_the_nearest_suite_for_a_misspelt_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_faroe(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WrongUse, match=r"Did you mean faroe\?"):
        find("./farö")
    monkeypatch.chdir(tmp_path / "faroe")
    with pytest.raises(WrongUse, match="there is no suite"):
        find("..")


def test_a_changed_declaration_is_read_again(tmp_path: Path) -> None:
    folder = write_faroe(tmp_path)
    assert load_suite(folder).title == "Faroe"
    path = folder / "suite.toml"
    path.write_text(path.read_text().replace('"Faroe"', '"Faroese"'))
    assert load_suite(folder).title == "Faroese"
