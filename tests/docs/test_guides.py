"""Tutorials and guides: every command and every example runs as printed."""

import doctest
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
TUTORIALS = GUIDES.parent / "tutorials"
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', flags=re.MULTILINE | re.DOTALL)


def commands(page: str) -> list[str]:
    blocks = [text for language, _, text in BLOCK.findall(page) if language == "console"]
    return [line[2:] for text in blocks for line in text.splitlines() if line.startswith("$ ")]


@pytest.mark.slow
def test_commands_of_the_language_tutorial_run_up_to_a_served_board(tmp_path: Path) -> None:
    page = (TUTORIALS / "your-language.md").read_text(encoding="utf-8")
    for _, title, text in BLOCK.findall(page):
        if title:
            (tmp_path / title).write_text(text, encoding="utf-8")
    listed = commands(page)
    serve = next(line for line in listed if "board serve" in line)
    others = [line for line in listed if line != serve]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    home = {"HOME": str(tmp_path / "home"), "PATH": path, "PYTHONPATH": os.environ.get("PYTHONPATH", ""), "LANG": "C.UTF-8"}
    done = subprocess.run(["bash", "-ec", "\n".join(others)], cwd=tmp_path, env=home, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    assert "labels negativ 18, positiv 18" in done.stdout
    assert (tmp_path / "report.html").is_file()
    assert (tmp_path / "public" / "index.html").is_file()
    assert (tmp_path / "hub" / "README.md").is_file()
    _serves(serve, tmp_path, {**home, "GLUEPOT_SUITES": str(tmp_path)})


@pytest.mark.slow
@pytest.mark.parametrize("tutorial", ["first-evaluation", "choose-a-model"])
def test_commands_of_the_tutorials_run_in_order(tutorial: str, tmp_path: Path) -> None:
    page = (TUTORIALS / f"{tutorial}.md").read_text(encoding="utf-8")
    for _, title, text in BLOCK.findall(page):
        if title:
            (tmp_path / title).write_text(text, encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    home = {"HOME": str(tmp_path / "home"), "PATH": path, "PYTHONPATH": os.environ.get("PYTHONPATH", ""), "LANG": "C.UTF-8"}
    others = [line for line in commands(page) if "board serve" not in line]
    assert others
    done = subprocess.run(["bash", "-ec", "\n".join(others)], cwd=tmp_path, env=home, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def _serves(command: str, folder: Path, environment: dict[str, str]) -> None:
    log = folder / "serve.log"
    with log.open("w") as out:
        server = subprocess.Popen(["bash", "-c", f"exec {command} --port 0"], cwd=folder, env=environment, stdout=out, stderr=out)
    try:
        for _ in range(600):
            if found := re.search(r"^http://\S+", log.read_text(), flags=re.MULTILINE):
                break
            assert server.poll() is None, log.read_text()
            time.sleep(0.1)
        assert found, log.read_text()
        with urlopen(f"{found[0]}b/norsk") as answer:
            assert "Norsk prøvestein" in answer.read().decode()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)


def test_doctests_of_the_library_guide_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = GUIDES / "library.md"
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8", optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert tried > 10
    assert failed == 0
