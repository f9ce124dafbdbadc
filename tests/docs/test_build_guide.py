"""Guide to makers: its commands run unchanged on the bundled corpus."""

import re
import shlex
from pathlib import Path

import pytest

from gluepot.cli import main

ROOT = Path(__file__).parents[2]


def test_commands_of_the_guide_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "guides" / "build.md").read_text("utf-8")
    block = re.search(r"ten minutes\n.*?```sh\n(.*?)```", text, re.DOTALL)
    assert block
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for line in block[1].splitlines():
        assert main(shlex.split(line)[1:]) == 0, line
    assert (tmp_path / "artefacts.html").is_file()
    assert (tmp_path / "iceland" / "scala" / "sheet.md").is_file()
    assert "CC0-1.0" in (tmp_path / "iceland" / "scala" / "task.toml").read_text("utf-8")
