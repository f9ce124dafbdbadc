"""Checks of incomplete sheets, and findings accepted by a suite."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from gluepot.data.checks import CHECKS, Finding, read_material
from gluepot.data.checks.accepted_findings import AcceptedFinding, accept, load_accepted
from gluepot.errors import WrongUse
from gluepot.records import Suite
from gluepot.tasks.declarations import load_suites

from .making import CLASSES, declare, suite_of  # type: ignore[import-not-found,unused-ignore]


def test_check_finds_an_incomplete_sheet(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "suites" / "own" / "task"
    material = read_material(replace(declare(*CLASSES, {"test": 2}, labels=["pro", "con"]), folder=str(folder)))
    missing = next(f for f in CHECKS["sheet"](material))
    assert (missing.code, missing.count) == ("sheet-incomplete", len(SHEET))
    fields = "\n".join(f"### {name}\nText.\n" for name in SHEET)
    folder.mkdir(parents=True)
    (folder / "sheet.md").write_text(fields, encoding="utf-8")
    assert list(CHECKS["sheet"](material)) == []


SHEET = (
    "Created by", "Publisher(s)", "Abstract", "Funded by", "Primary data", "Nature of the content", "Format", "Data source(s)",
    "Data collection method(s)", "Data selection and filtering", "Data preprocessing", "Data labeling", "Data last updated",
    "Which changes have been made, compared to the previous version", "This document created", "This document last updated",
    "Documentation template version",
)  # fmt: skip


def test_check_notes_an_incomplete_official_sheet(data: Path) -> None:
    (data / "own_documentation-sheet.tsv").write_text("I. IDENTIFYING INFORMATION\t\nTitle*\tOwn\n", encoding="utf-8")
    found = [f for f in CHECKS["sheet"](read_material(declare(*CLASSES, {"test": 2}, labels=["pro"]))) if f.code == "official-sheet"]
    assert [f.severity for f in found] == ["note"]


def finding(count: int = 5, split: str = "dev") -> Finding:
    return Finding("duplicate", "own/task", split, "…", count)


@pytest.mark.parametrize(
    ("entry", "covers"),
    [
        (AcceptedFinding("duplicate", "task", "why"), True),
        (AcceptedFinding("duplicate", "task", "why", split="test"), False),
        (AcceptedFinding("duplicate", "task", "why", count=5), True),
        (AcceptedFinding("duplicate", "task", "why", count=4), False),
        (AcceptedFinding("duplicate", "task", "why", count={"dev": 5}), True),
        (AcceptedFinding("duplicate", "task", "why", count={"test": 9}), False),
        (AcceptedFinding("overlap", "task", "why"), False),
        (AcceptedFinding("duplicate", "other", "why"), False),
    ],
)
def test_accepted_finding_covers_its_code_task_split_and_count(entry: AcceptedFinding, covers: bool) -> None:
    [found] = accept([finding()], [entry])
    assert found.accepted == ("why" if covers else None)
    assert found.counts is not covers


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[[accepted]]\ncode = "duplikate"\ntask = "task"\nreason = "x"', "Did you mean 'duplicate'?"),
        ('[[accepted]]\ncode = "duplicate"\ntask = "tusk"\nreason = "x"', "Did you mean 'task'?"),
        ('[[accepted]]\ncode = "duplicate"\ntask = "task"\nreason = " "', "a reason is needed"),
        ('[[accepted]]\ncode = "duplicate"\ntask = "task"', "own/accepted.toml: Object missing required field `reason`"),
    ],
)
def test_rejects_an_invalid_list_of_accepted_findings(tmp_path: Path, text: str, error: str) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "accepted.toml").write_text(text, encoding="utf-8")
    with pytest.raises(WrongUse, match=error.replace("?", r"\?")):
        load_accepted(replace(suite_of(declare(*CLASSES, {"test": 2}, labels=["pro"])), folder=str(tmp_path / "own")))


@pytest.mark.parametrize("suite", load_suites(), ids=lambda suite: suite.name)
def test_every_list_of_accepted_findings_loads(suite: Suite) -> None:
    load_accepted(suite)
