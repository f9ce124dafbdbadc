"""Checks of a suite's files: every family of checks is one module here that registers its function."""

from collections.abc import Callable, Iterable

from msgspec import Struct

from gluepot.data.checks import (  # noqa: F401  each module registers its check
    characters,
    files,
    groups,
    ids,
    items,
    judgments,
    labels,
    overlap,
    places,
    sheet,
    sizes,
    spans,
    tags,
)
from gluepot.data.checks.accepted import accept, load_accepted
from gluepot.data.checks.findings import CODES, Finding
from gluepot.data.checks.material import CHECKS, Material, read_material
from gluepot.records import Suite, Task

__all__ = ["CHECKS", "CODES", "Checked", "Finding", "Material", "check_material", "check_suite", "check_task"]

_ORDER = list(CODES)


class Checked(Struct, frozen=True):
    """One checked task: the sizes of its splits that are here and what was found."""

    task: str
    splits: dict[str, int]
    findings: list[Finding]


def check_suite(suite: Suite, tasks: Iterable[Task], progress: Callable[[Task], None] = lambda _: None) -> list[Checked]:
    """All checks on some tasks of a suite, with its accepted findings marked."""
    accepted = load_accepted(suite)
    checked = []
    for task in tasks:
        progress(task)
        one = check_task(task, _trained_on(suite, task))
        checked.append(Checked(one.task, one.splits, accept(one.findings, accepted)))
    return checked


def _trained_on(suite: Suite, task: Task) -> Task | None:
    other = suite.tasks.get(task.trained_on or "")
    return other if other is not None and other.kind == task.kind else None


def check_task(task: Task, trained_on: Task | None = None) -> Checked:
    """All checks on one task."""
    material = read_material(task, trained_on)
    return Checked(task.path, {name: len(split) for name, split in material.splits.items()}, check_material(material))


def check_material(material: Material) -> list[Finding]:
    """What all checks say about a task, problems first, then in the order of the codes."""
    findings = [finding for name in CHECKS for finding in CHECKS[name](material)]
    return sorted(findings, key=lambda f: (f.severity != "problem", _ORDER.index(f.code)))
