"""Printed throughput and memory, recomputed from MOROCCO's raw timings."""

from collections.abc import Iterator
from pathlib import Path

from gluepot.efficiency.figures.timings import read_timing
from gluepot.efficiency.repeats import timing_folders
from gluepot.records import Suite
from gluepot.runs.evidence import EVIDENCE, Lookup
from gluepot.submissions.opening.targets import named_task
from gluepot.tasks.systems import names_of

Timed = tuple[str, str, str]
"""Model, task, metric."""


@EVIDENCE.register("timings")
def timing_evidence(suite: Suite, path: Path) -> Lookup | None:
    found = dict(from_timings(suite, path))
    return (lambda cell: found.get((cell.model, cell.task, cell.metric))) if found else None


def from_timings(suite: Suite, path: Path) -> Iterator[tuple[Timed, float]]:
    """Yield MOROCCO's figures by model, task and metric, from the raw timings in a folder."""
    for folder in timing_folders(path):
        timing, task = read_timing(folder), named_task(suite, folder.resolve().name)
        for metric, measured in (("throughput", timing.throughput), ("memory-gib", timing.memory)):
            if task is not None and measured is not None:
                yield from (((model, task.name, metric), measured.value) for model in names_of(suite.name, timing.model))
