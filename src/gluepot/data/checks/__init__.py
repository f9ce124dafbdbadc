"""Checks of a suite's files, items, gold answers and splits; each family of checks is a module that registers its function."""

from collections.abc import Callable, Iterable

from msgspec import Struct

from gluepot.data.checks.accepted_findings import accept, load_accepted
from gluepot.data.checks.annotations import judgments, labels, offsets, spans, tags  # noqa: F401  each module registers its check
from gluepot.data.checks.files import absence, checksums, encoding, sheet  # noqa: F401  each module registers its check
from gluepot.data.checks.files.checksums import note_unknown
from gluepot.data.checks.findings import CODES, Finding
from gluepot.data.checks.items import characters, contents, groups, ids  # noqa: F401  each module registers its check
from gluepot.data.checks.material import CHECKS, Material, Split, read_material, read_split
from gluepot.data.checks.splits import overlap, sizes  # noqa: F401  each module registers its check
from gluepot.data.folders import available_splits
from gluepot.records import Suite, Task

__all__ = ["CHECKS", "CODES", "CheckedTask", "Finding", "Material", "check_material", "check_suite", "read_material"]

_ORDER = list(CODES)


class CheckedTask(Struct, frozen=True):
    """Result of checking one task: the sizes of its available splits and the findings."""

    task: str
    splits: dict[str, int]
    findings: list[Finding]


def check_suite(suite: Suite, tasks: Iterable[Task], progress: Callable[[Task], None] = lambda _: None) -> list[CheckedTask]:
    """Run all checks on the given tasks of a suite and mark its accepted findings."""
    accepted, wanted = load_accepted(suite), list(tasks)
    kept: dict[str, Split] = {}
    checked = []
    for task in wanted:
        progress(task)
        material = read_material(task, _training(suite, task, kept))
        findings = accept([*check_material(material), *note_unknown(material)], accepted)
        checked.append(CheckedTask(task.path, {name: len(split) for name, split in material.splits.items()}, findings))
        if "train" in material.splits and any(other.trained_on == task.name for other in wanted):
            kept[task.name] = material.splits["train"]
    return checked


def _training(suite: Suite, task: Task, kept: dict[str, Split]) -> Split | None:
    """Return the available train split that a diagnostic of the same kind is trained on, cached in `kept`."""
    other = suite.tasks.get(task.trained_on or "")
    if other is None or other.kind != task.kind or "train" not in available_splits(other):
        return None
    if other.name not in kept:
        kept[other.name] = read_split(other, "train")
    return kept[other.name]


def check_material(material: Material) -> list[Finding]:
    """Run all checks on a task and sort the findings: problems first, then in the order of the codes."""
    findings = [finding for name in CHECKS for finding in CHECKS[name](material)]
    return sorted(findings, key=lambda f: (f.severity != "problem", _ORDER.index(f.code)))
