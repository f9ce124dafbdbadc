"""Documentation pages: up to date, complete, and with existing links, pictures and commands."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import gluepot
from gluepot.cli import COMMANDS
from gluepot.records import Suite
from gluepot.tasks.declarations import load_suites
from gluepot.tasks.published_results import load_published

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_reference_pages_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, ROOT / "docs" / "generate.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_figures_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, ROOT / "docs" / "figures.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_picture_of_a_page_exists_and_has_an_alternative_text() -> None:
    found = [(page, *image) for page in PAGES for image in re.findall(r"!\[([^]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8"))]
    assert len(found) >= 6
    for page, text, target in found:
        assert len(text) > 10, page.name
        assert (page.parent / target).is_file(), f"{page.name}: {target}"


def test_readme_shows_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    assert "make run" in text
    assert "make test" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_between_pages_resolve(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:\s]+\.md)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).is_file(), target


def test_commands_in_the_examples_exist() -> None:
    for page in PAGES:
        for name in re.findall(r"^\$ gluepot (\w+)", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
            assert name in COMMANDS, f"{page.name}: gluepot {name}"


def test_the_readmes_commands_run(real_data: Path) -> None:
    wanted = {"suites", "show", "agreement", "verify"}
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\$ gluepot ([^#\n]+)", text, flags=re.MULTILINE)
    chosen = [line.split() for line in lines if line.split()[0] in wanted]
    assert {words[0] for words in chosen} == wanted
    for words in chosen:
        done = subprocess.run([sys.executable, "-m", "gluepot", *words], capture_output=True, text=True)
        assert done.returncode == 0, f"{words}: {done.stderr}"


def test_guide_counts_the_reproduced_figures_of_every_suite() -> None:
    rows = re.findall(r"^\| (\S+) \| ([^|]+) \|", (ROOT / "docs/guides/reproduce.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    told = {suite: sum(int(n) for n in re.findall(r", (\d+)(?: cells)?(?=;|$)", text.strip())) for suite, text in rows}
    printed = {suite.name: len(cells) for suite in load_suites() if (cells := load_published(suite))}
    assert {suite: told.get(suite) for suite in printed} == printed


def test_every_decision_is_listed() -> None:
    index = (ROOT / "docs/decisions/index.md").read_text()
    for page in (ROOT / "docs/decisions").glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in index


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr


def test_readme_names_the_path_and_installation_of_the_command() -> None:
    text = README.read_text()
    assert "`.venv/bin/gluepot`" in text
    assert "pip install ." in text
    extras = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
    for named in re.findall(r"pip install '\.\[([a-z,]+)\]'", text):
        assert set(named.split(",")) <= extras


@pytest.mark.parametrize("suite", load_suites(), ids=lambda suite: suite.name)
def test_the_readme_counts_the_tasks_of_each_suite(suite: Suite) -> None:
    """The count is in brackets after the title of a suite; the bundled suite is not counted."""
    title = {"scandeval-da": "ScandEval", "superlim": "Superlim 2", "russian-superglue": "Russian SuperGLUE 1.1"}.get(
        suite.name, suite.title
    )
    if suite.name != "pocket":
        told = re.search(rf"\*\*{title}\*\*[^(]*\(([^)]*)\)", README.read_text())
        assert told is not None
        assert str(len(suite.tasks)) in re.findall(r"\d+", told[1])


def test_readme_lists_every_suite_that_reproduce_covers() -> None:
    paragraph = next(part for part in README.read_text().split("\n\n") if part.startswith("`reproduce` covers"))
    titles = {"superlim": "Superlim", "russian-superglue": "Russian SuperGLUE", "scandeval-da": "ScandEval"}
    assert not [s.name for s in load_suites() if load_published(s) and titles.get(s.name, s.title) not in paragraph]


def test_package_is_marked_as_typed() -> None:
    assert (Path(gluepot.__file__).parent / "py.typed").is_file()
