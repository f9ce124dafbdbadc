"""Documentation sheets: completeness, no duplication of the declaration, and parsing of official ones."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from gluepot.errors import WrongUse
from gluepot.records import Task
from gluepot.tasks.declarations import load_suites
from gluepot.tasks.search_path import BUNDLED
from gluepot.tasks.sheets import FIELDS, TEMPLATE, load_sheet, read_markdown, read_official

ALL_TASKS = [task for suite in load_suites() for task in suite.tasks.values()]


@pytest.mark.parametrize("task", ALL_TASKS, ids=lambda t: t.path)
def test_no_obligatory_field_of_a_sheet_is_missing(task: Task) -> None:
    assert load_sheet(task).missing() == []


@pytest.mark.parametrize("task", ALL_TASKS, ids=lambda t: t.path)
def test_a_sheet_has_the_templates_sections_in_order(task: Task) -> None:
    text = (BUNDLED / task.suite / task.name / "sheet.md").read_text(encoding="utf-8")
    found = [line[3:].strip() for line in text.splitlines() if line.startswith("## ")]
    assert found == [section for section in TEMPLATE if section in found]


def test_a_sheet_without_an_obligatory_field_is_not_complete(tmp_path: Path) -> None:
    (tmp_path / "sheet.md").write_text("## I. Identifying information\n### Created by\nSomebody\n### Publisher(s)\n-\n")
    missing = read_markdown(tmp_path / "sheet.md").missing()
    assert "Created by*" not in missing
    assert "Publisher(s)*" in missing


def test_rejects_a_field_of_the_declaration_in_the_sheet(tmp_path: Path) -> None:
    folder = tmp_path / "superlim" / "swenli"
    folder.mkdir(parents=True)
    (folder / "sheet.md").write_text("## I. Identifying information\n### Title\nSweNLI\n")
    swenli = next(task for task in ALL_TASKS if task.path == "superlim/swenli")
    with pytest.raises(WrongUse, match=r"'Title' is taken from task\.toml"):
        load_sheet(replace(swenli, folder=str(folder)))


def test_the_official_sheets_of_superlim_are_read(real_data: Path) -> None:
    found = sorted((real_data / "superlim").glob("*/*documentation[-_]sheet.tsv"))
    assert len(found) == 14
    for path in found:
        sheet = read_official(path)
        assert sheet.fields["Title*"], path.name
        assert sheet.fields["Abstract*"], path.name


def test_an_official_field_of_several_paragraphs_is_read_whole(real_data: Path) -> None:
    sheet = read_official(real_data / "superlim/swewinogender/swewinogender_documentation_sheet.tsv")
    assert sheet.fields["References"].count("\n\n[") == 3
    assert sheet.missing() == []


def test_the_template_has_twenty_two_obligatory_fields() -> None:
    assert sum(name.endswith("*") for name in FIELDS) == 22
