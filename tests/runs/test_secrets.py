"""Keys in a command line or a manifest are neither stored nor displayed."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.runs.tampering import edit, make

from gluepot.cli import main
from gluepot.runs.storage.manifest import read_manifest
from gluepot.runs.storage.store import RunFolder

KEY = "hunter2geheim"
SHAPED = "sk-aB3dE5gH7jK9mN1pQ2rS4tU6vW8x"
ANSWER = """
import json, sys
for line in sys.stdin:
    item = json.loads(line)
    print(json.dumps({"id": item["id"], "prediction": item["labels"][0]}))
"""
FAIL = "import sys\nsys.exit('refused: ' + ' '.join(sys.argv))"


def gluepot(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "gluepot", *words], cwd=place, capture_output=True, text=True, timeout=120)


def files(place: Path) -> bytes:
    """Return the names and contents of everything below a folder."""
    return b"".join(str(path).encode() + (path.read_bytes() if path.is_file() else b"") for path in place.rglob("*"))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "here").mkdir()
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "answer.py").write_text(ANSWER)
    (tmp_path / "programs" / "fail.py").write_text(FAIL)
    return tmp_path / "here"


@pytest.mark.parametrize("secret", [f"--api-key {KEY}", f"--token={KEY}", f"--url postgres://me:{KEY}@db/x", SHAPED])
def test_a_key_in_a_command_is_masked_in_files_folder_names_and_output(place: Path, secret: str) -> None:
    model = f"command:{sys.executable} ../programs/answer.py {secret}"
    told = gluepot(place, "evaluate", model, "pocket/stance-sv", "--resamples", "20")
    assert told.returncode == 0, told.stderr
    for output in (files(place), files(place.parent / "cache"), told.stdout.encode(), told.stderr.encode()):
        assert KEY.encode() not in output
        assert SHAPED.encode() not in output
    assert "what looks like a key in the command line is masked" in told.stderr
    again = gluepot(place, "evaluate", model, "pocket/stance-sv", "--resamples", "20")
    assert "nothing left to do" in again.stderr, "a masked run goes on"


def test_a_key_repeated_on_standard_error_is_masked(place: Path) -> None:
    told = gluepot(place, "evaluate", f"command:{sys.executable} ../programs/fail.py --api-key {KEY}", "pocket/stance-sv")
    assert told.returncode == 1
    assert "refused:" in told.stderr
    assert KEY not in told.stderr + told.stdout
    assert KEY.encode() not in files(place)


def test_an_invalid_command_line_is_refused_with_its_key_masked(place: Path) -> None:
    told = gluepot(place, "evaluate", "majority", "pocket", "--api-key", KEY)
    assert told.returncode == 2
    assert "unrecognized arguments: --api-key ***" in told.stderr
    assert KEY not in told.stderr


def test_keys_are_masked_in_tracebacks() -> None:
    code = f"""
import sys, threading
from gluepot.cli.console import dispatch
from gluepot.cli.console.process import run_alone
def broken(words, begin):
    def fall(): raise RuntimeError('thread: postgres://me:{KEY}@db/x')
    thread = threading.Thread(target=fall); thread.start(); thread.join()
    try:
        raise KeyError('--api-key {KEY}')
    except KeyError as error:
        raise ValueError('{SHAPED}') from error
dispatch.dispatch = broken
run_alone(['suites'])
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert told.returncode == 1
    assert "ValueError: sk-***" in told.stderr
    assert "RuntimeError: thread: postgres://me:***@db/x" in told.stderr
    assert KEY not in "".join(line for line in told.stderr.splitlines() if "Error:" in line)
    assert SHAPED not in told.stderr


def with_key(place: Path) -> Path:
    """Create a run with a key in its manifest."""
    run = make(place / "run")

    def change(manifest) -> None:
        manifest["identity"]["model"] = f"command:./model --api-key {KEY}"
        manifest["command"] = ["evaluate", f"command:./model --api-key {KEY}", "--password", KEY]

    edit(run / "manifest.json", change)
    (run / "scores.json").unlink()
    return run


def test_keys_are_masked_when_a_manifest_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = read_manifest(RunFolder(with_key(tmp_path)))
    assert manifest.identity.model.name == "command:./model --api-key ***"
    assert manifest.command == ["evaluate", "command:./model --api-key ***", "--password", "***"]
    assert "what looks like a key in this file is masked" in capsys.readouterr().err


def test_reports_and_comparisons_show_no_key_of_a_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    run, other = with_key(tmp_path), make(tmp_path / "other")
    assert main(["report", str(run), "--out", str(tmp_path / "page.html")]) == 0
    assert main(["compare", str(run), str(other)]) in (0, 1)
    assert main(["compare", str(run), str(other), "--json"]) in (0, 1)
    assert main(["score", "pocket", str(run), "--json"]) in (0, 1)
    printed = capsys.readouterr()
    assert KEY not in printed.out + printed.err
    assert KEY.encode() not in (tmp_path / "page.html").read_bytes() + files(tmp_path / "cache")
