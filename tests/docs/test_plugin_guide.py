"""Guide to plug-ins: its files are written, built, installed and used as printed."""

import re
import shlex
from pathlib import Path

import pytest
from tests.packaging.environment import ROOT, Environment, build

GUIDE = ROOT / "docs" / "guides" / "plug-ins.md"
TITLED = re.compile(r"^```\w+\n# (\S+/\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)

REGISTERED = """
from gluepot.models.protocols import PROTOCOLS
from gluepot.tasks.formats import FORMATS, READERS
from gluepot.tasks.kinds import KINDS

READERS["pipes"], KINDS["dialogue-act"], FORMATS["turns"], PROTOCOLS["hello"]
"""


@pytest.mark.slow
def test_the_plug_in_of_the_guide_works(tmp_path: Path) -> None:
    for name, text in TITLED.findall(GUIDE.read_text(encoding="utf-8")):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((path.read_text(encoding="utf-8") if path.is_file() else "") + text, encoding="utf-8")
    (tmp_path / "dist").mkdir()
    wheels = [build(ROOT, tmp_path / "dist"), build(tmp_path / "gluepot-hello", tmp_path / "dist")]
    place = Environment(tmp_path / "place", wheels)
    (console,) = CONSOLE.findall(GUIDE.read_text(encoding="utf-8"))
    printed: list[str] = []
    for line in console.splitlines():
        if line.startswith("$ pip install"):
            continue  # already installed, without a network
        if line.startswith("$ "):
            done = place.run(*shlex.split(line[2:]))
            assert "was left out" not in done.stderr
            printed = done.stdout.splitlines()
        else:
            assert line in printed
    place.run("python", "-c", REGISTERED)
