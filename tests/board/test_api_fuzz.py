"""Schemathesis against the OpenAPI document of a running server: no 5xx, and every answer is as described."""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.board.exporting import SAMPLE
from tests.board.serving import import_into, served

KNOWN = """
[parameters]
suite = "pocket"
version = "1"
slug = "sample"
"""


@pytest.mark.slow
@pytest.mark.parametrize("known", ["", KNOWN], ids=["any names", "known names"])
def test_schemathesis_finds_no_server_error_and_no_undescribed_answer(known: str, tmp_path: Path) -> None:
    pytest.importorskip("schemathesis")
    (tmp_path / "schemathesis.toml").write_text(known)
    tool = [str(Path(sys.executable).parent / "schemathesis"), "--config-file", "schemathesis.toml"]
    with TemporaryDirectory(prefix="gluepot-fuzz-", ignore_cleanup_errors=True) as folder:
        import_into(Path(folder), str(SAMPLE))
        with served(Path(folder)) as address:
            words = [*tool, "run", f"{address}/api/openapi.json", "--max-examples", "8"]
            done = subprocess.run(words, cwd=tmp_path, env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-5000:]
    counted = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
    assert counted, done.stdout[-2000:]
    assert int(counted[1]) == int(counted[2]) > 100
