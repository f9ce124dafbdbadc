"""Checks of whole suites: none on the bundled suite, the known findings on the official files."""

import json
from pathlib import Path
from typing import Any

import pytest

from gluepot.cli import main


def test_the_pocket_suite_has_no_finding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "check", "pocket", "--notes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("0 findings, 0 accepted, ")
    assert all(line.endswith("] note") for line in lines[:-1])


def test_check_without_data_names_the_fetch_command(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "check", "superlim"]) == 3
    assert "gluepot data fetch superlim" in capsys.readouterr().err


def real(path: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    code = main(["data", "check", path, "--json"])
    return code, json.loads(capsys.readouterr().out)


def unaccepted(document: dict[str, Any]) -> set[tuple[str, str, str, int]]:
    """Return the unaccepted problems of the files that are present."""
    problems = (f for f in document["findings"] if f["severity"] == "problem" and f["accepted"] is None)
    found = (f for f in problems if not f["code"].endswith("-absent"))
    return {(f["code"], f["task"].split("/")[1], f["split"], f["count"]) for f in found}


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("supersim", {("off-scale", "relatedness", "all", 1)}),
        ("superlim", {("off-scale", "supersim-superlim-relatedness", "train", 1), ("wrong-group", "swefaq", "test", 1)}),
        ("russian-superglue/RUSSE", {("size", "RUSSE", "val", 3)}),
        (
            "basqueglue",
            {("duplicate-id", "nerc_id", "test", 842), ("duplicate-id", "nerc_od", "train", 1002)}
            | {("orphan-tag", "slot", split, count) for split, count in (("train", 668), ("val", 341), ("test", 5))}
            | {("span-index", "coref", split, count) for split, count in (("train", 986), ("val", 320), ("test", 587))},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_check_finds_the_known_problems_of_the_official_files(
    real_data: Path, capsys: pytest.CaptureFixture[str], path: str, known: set[Any]
) -> None:
    code, document = real(path, capsys)
    assert code == 1
    assert unaccepted(document) == known


def test_check_names_the_judgment_and_the_row(real_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "check", "supersim/relatedness"]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first == 'supersim/relatedness all: 1 number off the scale 0 to 10: row 87 a3 = 19 "dryck – mun". [off-scale]'
    assert last == "1 finding, 2 accepted, 0 notes in 1 task."
    assert main(["data", "check", "superlim/swefaq"]) == 1
    assert "row 35 in group 35, with the options of group 36" in capsys.readouterr().out


def test_check_prints_accepted_findings_with_their_reason_on_request(real_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["data", "check", "superlim/swenli"])
    short = capsys.readouterr().out
    assert main(["data", "check", "superlim/swenli", "--accepted"]) == code
    long = capsys.readouterr().out
    assert "accepted: Items coincide in Swedish" in long
    assert "accepted:" not in short
