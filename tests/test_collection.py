"""Test modules that fail to import are reported."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_a_test_module_that_cannot_be_imported_fails(tmp_path: Path) -> None:
    (tmp_path / "test_broken.py").write_text("from gluepot.nothing import name\n\n\ndef test_it() -> None:\n    assert name\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
    done = subprocess.run([*command, "-c", str(ROOT / "pyproject.toml"), str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2, done.stdout
    assert "No module named 'gluepot.nothing'" in done.stdout
