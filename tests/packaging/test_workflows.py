"""What the forge runs, and how the package is cited."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import gluepot

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text())
    return loaded


def jobs() -> list[Any]:
    return [pytest.param(job, id=f"{path.stem}-{name}") for path in WORKFLOWS for name, job in load(path)["jobs"].items()]


def supported() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return re.findall(r":: (3\.\d+)", " ".join(project["classifiers"]))


def test_there_is_a_workflow_for_each_thing_that_a_forge_does() -> None:
    assert [path.stem for path in WORKFLOWS] == ["audit", "check", "docs", "release"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_only_read_and_keeps_no_secret(path: Path) -> None:
    assert load(path)["permissions"] == {"contents": "read"}
    assert "secrets." not in path.read_text()


@pytest.mark.parametrize("job", jobs())
def test_a_job_ends_some_day_and_its_actions_have_versions(job: dict[str, Any]) -> None:
    assert job["timeout-minutes"] <= 60
    for step in job["steps"]:
        assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+(\.\d+)*", step.get("uses", "a/b@v1")), step
        assert not step.get("uses", "").startswith("actions/checkout@") or step["with"]["persist-credentials"] is False


def test_the_job_that_publishes_has_no_other_right_than_to_say_who_it_is() -> None:
    publish = load(ROOT / ".github/workflows/release.yml")["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"]
    assert not any("run" in step for step in publish["steps"]), "nothing of ours runs beside that right"


def test_tests_run_on_every_supported_python() -> None:
    tested = load(ROOT / ".github/workflows/check.yml")["jobs"]["test"]["strategy"]["matrix"]["python-version"]
    assert tested == supported() == ["3.11", "3.12", "3.13"]


@pytest.mark.parametrize("command", [step["run"] for job in jobs() for step in job.values[0]["steps"] if "run" in step])
def test_what_a_workflow_makes_is_a_target(command: str) -> None:
    for target in re.findall(r"^make ([\w-]+)", command, re.MULTILINE):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for path in re.findall(r"(?:tools|tests)/\w+", command):
        assert (ROOT / path).exists()


def test_the_citation_is_of_this_version() -> None:
    citation = load(ROOT / "CITATION.cff")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert citation["version"] == gluepot.__version__
    assert citation["license"] == project["license"]
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
