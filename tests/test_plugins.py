"""Loading of plug-ins: failures are warnings, name conflicts are reported, and imports are lazy."""

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[1]
METRIC = """
from gluepot.metrics import METRICS, Metric

METRICS.add("{name}", Metric("{name}", ("label",), "gluepot.metrics.nominal:Accuracy", "A metric of {name}."))
"""
MODEL = """
from gluepot.models import ADAPTERS, AdapterInfo

ADAPTERS.add("{name}", AdapterInfo("{name}", "gluepot.models.baselines.trivial:Majority", "Brought by a plug-in.", trusts=""))
"""


def install(folder: Path, package: str, code: str | None, module: str = "") -> None:
    """Install a package with its module, if any, and its metadata."""
    module = module or package.replace("-", "_")
    about = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[gluepot]\n{package} = {module}\n")
    (about / "top_level.txt").write_text(f"{module}\n")
    if code is not None:
        (folder / f"{module}.py").write_text(dedent(code))


def gluepot(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT / "src"), str(folder)])
    return subprocess.run([sys.executable, "-m", "gluepot", *words], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})


def models(done: subprocess.CompletedProcess[str]) -> set[str]:
    assert done.returncode == 0, done.stderr
    return {model["name"] for model in json.loads(done.stdout)["models"]}


BROKEN = {
    "syntax": ("def (", "SyntaxError"),
    "missing library": ("import no_such_library", "No module named 'no_such_library'"),
    "leaves": ("raise SystemExit('no licence')", "SystemExit: no licence"),
    "registers what is ours": (METRIC.format(name="accuracy"), "metric 'accuracy' is registered twice: by gluepot and by gluepot-bad"),
    "no module": (None, "No module named 'gluepot_bad'"),
}


@pytest.mark.parametrize("code", BROKEN.values(), ids=BROKEN)
def test_a_failing_plug_in_causes_one_warning_and_others_still_load(tmp_path: Path, code: tuple[str | None, str]) -> None:
    install(tmp_path, "gluepot-bad", code[0])
    install(tmp_path, "gluepot-good", MODEL.format(name="good"))
    done = gluepot(tmp_path, "models", "--json")
    assert "good" in models(done)
    assert done.stderr.startswith("The plug-in gluepot-bad of gluepot-bad (gluepot_bad) was left out: ")
    assert code[1] in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_reports_a_name_registered_by_two_plug_ins_and_keeps_the_first(tmp_path: Path) -> None:
    install(tmp_path, "gluepot-a", MODEL.format(name="twin"))
    install(tmp_path, "gluepot-b", MODEL.format(name="twin"))
    done = gluepot(tmp_path, "models", "--json")
    assert "twin" in models(done)
    assert "The plug-in gluepot-b of gluepot-b (gluepot_b) was left out" in done.stderr
    assert "model 'twin' is registered twice: by gluepot-a and by gluepot-b" in done.stderr


def test_a_plug_in_cannot_replace_a_built_in_reader(tmp_path: Path) -> None:
    """Built-in readers are imported late, so an earlier registration by a plug-in would break their import."""
    install(tmp_path, "gluepot-early", "from gluepot.tasks.formats import READERS\n\nREADERS.add('jsonl', print)\n")
    done = gluepot(tmp_path, "show", "pocket", "--json")
    assert done.returncode == 0, done.stderr
    done = gluepot(tmp_path, "models", "--json")
    assert "reader 'jsonl' is registered twice: by gluepot and by gluepot-early" in done.stderr


def test_output_of_a_plug_in_does_not_corrupt_json(tmp_path: Path) -> None:
    install(tmp_path, "gluepot-chatty", "print('welcome!')")
    done = gluepot(tmp_path, "models", "--json")
    assert models(done)
    assert "welcome!" in done.stderr


def test_commands_that_need_no_plug_in_do_not_import_it(tmp_path: Path) -> None:
    install(tmp_path, "gluepot-chatty", "print('welcome!')")
    done = gluepot(tmp_path, "show", "pocket/stance-sv")
    assert done.returncode == 0
    assert "welcome!" not in done.stdout + done.stderr


@pytest.mark.parametrize("words", [("evaluate", "godo", "pocket"), ("evaluate", "nothing-like-it", "pocket")])
def test_suggestions_for_unknown_names_include_plug_ins(tmp_path: Path, words: tuple[str, ...]) -> None:
    install(tmp_path, "gluepot-good", MODEL.format(name="good"))
    done = gluepot(tmp_path, *words)
    assert done.returncode == 2
    assert "good" in done.stderr
