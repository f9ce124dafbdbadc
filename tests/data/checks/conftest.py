"""Fixtures for checking a synthetic task."""

import json
from pathlib import Path
from typing import Any

import pytest

from gluepot.data.checks import CODES, Finding, check_material, read_material

from .making import Check, Rows, declare  # type: ignore[import-not-found,unused-ignore]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


@pytest.fixture
def look(data: Path) -> Check:
    """Function that writes the splits of a task, checks it and returns the last finding of each code."""

    def check(kind: str, fields: dict[str, str], splits: dict[str, Rows], **more: Any) -> dict[str, Finding]:
        for split, rows in splits.items():
            (data / f"{split}.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        task = declare(kind, fields, {split: len(rows) for split, rows in splits.items()}, **more)
        findings = check_material(read_material(task))
        assert all(finding.code in CODES for finding in findings)
        return {finding.code: finding for finding in findings if finding.code not in ("sheet-incomplete", "balance")}

    return check
