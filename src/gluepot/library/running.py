"""Runs as objects, their comparison and reports."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from gluepot.bounds import check_counts
from gluepot.errors import WrongUse
from gluepot.files import write_atomically
from gluepot.library.loading import load_suite
from gluepot.notices import notify_once
from gluepot.records import Prediction, Suite
from gluepot.records.tabular import Tabular
from gluepot.runs.comparison.comparison import ComparedRuns, compare_paths
from gluepot.runs.evaluation import RunScores
from gluepot.runs.scores.rescoring import rescore
from gluepot.runs.storage.manifest import Manifest, read_manifest
from gluepot.runs.storage.store import RunFolder
from gluepot.statistics.bootstrap import RESAMPLES


class Run(Tabular):
    """Run of one model on one suite: its predictions, scores and manifest."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._folder = RunFolder(self.path)
        if not self._folder.exists():
            raise WrongUse(f"{self.path} is not a run: it has no manifest.json.")

    @cached_property
    def manifest(self) -> Manifest:
        """The model, settings, data and machine of the run."""
        return read_manifest(self._folder)

    @cached_property
    def scores(self) -> RunScores:
        """The scores, computed from the predictions and the local data."""
        rescored = rescore(self._folder)
        for notice in rescored.notices:
            notify_once(notice)
        return rescored.scores

    def predictions(self, task: str, split: str | None = None, seed: int | None = None) -> list[Prediction]:
        """Return the predictions for a task, in the order of its items."""
        identity = self.manifest.identity
        file = self._folder.predictions(task, split or identity.split, identity.seeds[0] if seed is None else seed)
        if not file.exists():
            raise WrongUse(f"{self.path}: there are no predictions for {task}. There are predictions for {', '.join(identity.tasks)}.")
        return file.read()

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per score."""
        return self.scores.rows()

    @property
    def caption(self) -> str:
        return self.scores.caption

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"


def open_run(path: str | Path) -> Run:
    """Open the run in a folder."""
    return Run(path)


def compare(
    a: str | Path | Run,
    b: str | Path | Run,
    *others: str | Path | Run,
    suite: str | Path | Suite | None = None,
    split: str | None = None,
    resamples: int = RESAMPLES,
) -> ComparedRuns:
    """Compare systems on their common tasks: difference, paired confidence interval, corrected p-value, conclusion.

    Systems are runs, or paths of runs or submissions; `suite` is needed for submissions.
    """
    check_counts(resamples=resamples)
    return compare_paths(_paths([a, b, *others]), load_suite(suite) if suite is not None else None, split, resamples)


def report(
    runs: str | Path | Run | Sequence[str | Path | Run],
    path: str | Path = "report.html",
    *,
    suite: str | Path | Suite | None = None,
    split: str | None = None,
) -> Path:
    """Write one self-contained page about one or more runs, and return its path."""
    from gluepot.reporting import make_report
    from gluepot.reporting.html.page import render_page

    listed = [runs] if isinstance(runs, str | Path | Run) else list(runs)
    page = render_page(make_report(_paths(listed), load_suite(suite) if suite is not None else None, split))
    write_atomically(Path(path), page.encode())
    return Path(path)


def _paths(systems: Sequence[str | Path | Run]) -> list[Path]:
    return [system.path if isinstance(system, Run) else Path(system) for system in systems]
