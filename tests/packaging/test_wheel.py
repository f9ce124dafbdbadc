"""A wheel that installs and runs without a checkout."""

import re
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.packaging.environment import ROOT, Environment, build

import gluepot

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Environment:
    """gluepot without any extra."""
    return Environment(tmp_path_factory.mktemp("bare"), [wheel])


def contents(wheel: Path) -> dict[str, bytes]:
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(wheel: Path) -> None:
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "src/gluepot"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode:
        pytest.skip("needs git")
    wanted = {name.removeprefix("src/") for name in tracked.stdout.splitlines() if (ROOT / name).is_file()}
    found = contents(wheel).keys()
    assert {name for name in found if ".dist-info/" not in name} == wanted
    assert "gluepot/py.typed" in found
    for folder, end in (("suites/pocket/data", ".jsonl"), ("board/templates", ".html"), ("board/static", ".css"), ("board/locale", ".mo")):
        assert any(name.startswith(f"gluepot/{folder}/") and name.endswith(end) for name in found), folder


def test_the_source_archive_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    archive = build(ROOT, tmp_path, "sdist")
    with tarfile.open(archive) as files:
        assert not [name for name in files.getnames() if "/tests/" in name or "/.venv" in name]
        files.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # Python 3.11.4 and newer
    (unpacked,) = [path for path in tmp_path.iterdir() if path.is_dir()]
    (tmp_path / "again").mkdir()
    assert contents(build(unpacked, tmp_path / "again")) == contents(wheel)


def test_an_installed_package_needs_no_checkout_and_no_home(bare: Environment) -> None:
    where = bare.run("python", "-c", "import gluepot; print(gluepot.__version__, gluepot.__file__)").stdout.split()
    assert where[0] == gluepot.__version__
    assert Path(where[1]).is_relative_to(bare.packages)
    assert bare.gluepot("--version").stdout == f"gluepot {gluepot.__version__}\n"
    assert bare.run("python", "-m", "gluepot", "suites").stdout.count("\n") > 50


def test_an_installed_package_evaluates_the_bundled_suite(bare: Environment) -> None:
    done = bare.gluepot("evaluate", "majority", "pocket", "--out", "run")
    assert "overall" in done.stdout
    assert (bare.work / "run" / "scores.json").is_file()
    assert {path.name for path in bare.work.iterdir()} == {"run"}
    assert "stance-sv" in bare.gluepot("score", "pocket", "run").stdout
    bare.gluepot("report", "run", "-o", "report.html")


MISSING = {
    "board": [("board", "import", "--published", "--dir", "board"), ("board", "serve", "--dir", "board"), ("board", "export", "public")],
    "torch": [("evaluate", "encoder:somewhere", "pocket/stance-sv"), ("evaluate", "lm:somewhere", "pocket/stance-sv")],
    "api": [("evaluate", "api:model@http://localhost:1", "pocket/stance-sv")],
}


@pytest.mark.parametrize(("extra", "words"), [(extra, words) for extra, several in MISSING.items() for words in several])
def test_what_an_extra_brings_is_told_where_it_is_missing(bare: Environment, extra: str, words: tuple[str, ...]) -> None:
    done = bare.gluepot(*words, code=1)
    assert f"pip install 'gluepot[{extra}]'" in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_a_type_checker_sees_the_types_of_an_installed_package(bare: Environment, tmp_path: Path) -> None:
    (tmp_path / "client.py").write_text("import gluepot\n\nreveal_type(gluepot.__version__)\n")
    command = [sys.executable, "-m", "mypy", "--python-executable", str(bare.bin / "python"), "--config-file", "", "client.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
    assert re.search(r'Revealed type is "(builtins\.)?str"', done.stdout), done.stdout + done.stderr
