"""Loading of the systems in a report: runs and submissions with their scores, and with their answers if the items are available."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from gluepot.errors import DataMissing, GluepotError, WrongUse
from gluepot.models.names import display_name
from gluepot.plurals import pluralize
from gluepot.records import Mean, Result, Score, Suite, count_problems
from gluepot.runs.comparison.triviality import Verdict
from gluepot.runs.evaluation import TIMES, RunScores, run_submission, trivial_baseline_notices
from gluepot.runs.scores.rescoring import rescore
from gluepot.runs.scores.scoring import score_submission
from gluepot.runs.scores.training_summary import training_notices
from gluepot.runs.storage.manifest import Manifest, read_manifest
from gluepot.runs.storage.naming import distinct_names
from gluepot.runs.storage.store import RunFolder
from gluepot.submissions.pairing import PairedAnswers
from gluepot.submissions.reading import Submission, read_submission
from gluepot.tasks.declarations import load_suite

Pairs = dict[tuple[str, str], PairedAnswers]
"""Maps task and split to the answers paired with their items."""
BASELINES = {"majority", "random", "random-weighted", "lead", "majority label/avg", "maxfreq/avg"}
"""Models that read no text, which any other one must beat; `majority` has other names in publications."""
MAJORITY = BASELINES - {"random", "random-weighted", "lead"}
PARTIAL = "partial, never ranked"
SHOWN = 5
"""Maximum number of a system's problems on its card."""


class SystemCard(Struct, frozen=True):
    """One system in the report's header."""

    name: str
    """The model's name, made unique in the report."""
    model: str
    suite: str
    version: str
    splits: list[str]
    tasks: int
    baseline: bool
    partial: bool
    seeds: list[int]
    started: str | None
    gluepot: str | None
    data: dict[str, str]
    """Maps `task/split` to the fingerprint of the files used for scoring."""
    remarks: list[str] = []
    machine: dict[str, str | int] = {}
    packages: dict[str, str] = {}


@dataclass
class LoadedSystem:
    """A system with all that the report is computed from."""

    card: SystemCard
    suite: Suite
    scores: list[Score]
    overall: list[Mean]
    pairs: Pairs = field(default_factory=dict)
    """Answers of the first seed, paired with their items."""
    folder: RunFolder | None = None
    times: dict[str, float] = field(default_factory=dict)
    beyond_trivial: dict[str, bool] = field(default_factory=dict)
    """Whether the answers to each task are significantly better than the best trivial baseline's."""
    notices: list[str] = field(default_factory=list)
    """Notices to show immediately to the user who requests the report."""

    @property
    def majority(self) -> bool:
        return self.card.model.casefold() in MAJORITY


def load_systems(paths: Sequence[Path], suite: Suite | None, split: str | None = None) -> list[LoadedSystem]:
    """Load all systems, in the given order, each with a unique name."""
    systems = [load_system(path, suite, split) for path in paths]
    if split is not None:
        for loaded in systems:
            _keep_split(loaded, split)
    if not any(loaded.scores for loaded in systems):
        raise WrongUse(f"nothing was scored on the {split} split." if split else "nothing was scored.")
    names = distinct_names([loaded.card.model for loaded in systems], paths)
    for loaded, name in zip(systems, names, strict=True):
        loaded.card = replace(loaded.card, name=name)
    return systems


def load_system(path: Path, suite: Suite | None, split: str | None = None) -> LoadedSystem:
    """Load a run, or a submission to `suite`, which it requires."""
    folder = RunFolder(path)
    if folder.exists():
        return _load_run(folder)
    if suite is None:
        raise WrongUse(f"{path}: not a run; say with --suite which suite these predictions answer.")
    return _load_submission(path, suite, split)


def _load_run(folder: RunFolder) -> LoadedSystem:
    manifest = read_manifest(folder)
    identity, suite = manifest.identity, load_suite(manifest.identity.suite)
    rescored = rescore(folder)
    scores = rescored.scores
    broken = [result for result in scores.seeds.values() if result.problems]
    if broken and not any(row.value is not None for row in scores.scores):
        raise GluepotError(f"{folder.path}: nothing to report. {_obstacle(broken[0])}")
    pairs, remarks = _run_pairs(folder, suite, manifest)
    remarks += [notice.removeprefix(f"{folder.path}: ") for notice in rescored.notices]  # a page does not disclose who made it where
    name = display_name(identity.model)
    card = SystemCard(
        name, name, suite.name, scores.version, [identity.split], _task_count(scores.scores),
        identity.model.name.casefold() in BASELINES, manifest.partial, identity.seeds, manifest.started, identity.gluepot,
        scores.seeds[identity.seeds[0]].data, [*_told(scores), *remarks], manifest.machine, manifest.packages,
    )  # fmt: skip
    times = folder.read(TIMES, dict[str, float]) if (folder.path / TIMES).is_file() else {}
    notices = [*rescored.notices, *(f"{folder.path}: {remark}" for remark in _run_problems(scores))]
    beyond = {task: found.verdict == Verdict.BETTER for task, found in scores.beside_trivial.items()}
    return LoadedSystem(card, suite, scores.scores, scores.overall, pairs, folder, times, beyond, notices)


def _told(scores: RunScores) -> list[str]:
    """Return the remarks on missing answers, problems, trivial answers and the training of the models."""
    failed = [reason if task in reason else f"{task}: {reason}" for task, reason in scores.failed.items()]
    return [
        *failed,
        *_run_problems(scores),
        *trivial_baseline_notices(scores),
        *training_notices(scores.trained, scores.searches, scores.search_spread, scores.bootstraps),
    ]


def _run_problems(scores: RunScores) -> list[str]:
    return [remark for seed, result in scores.seeds.items() for remark in _problems(result, f"seed-{seed}/")]


def _problems(result: Result, place: str = "") -> list[str]:
    """Return the problems of the predictions, as many as fit on a card."""
    remarks = [f"{place}{problem}" for problem in result.problems[:SHOWN]]
    total = pluralize(count_problems(result.problems), "problem")
    more = [f"{total} in all; `gluepot score` lists them"] if len(result.problems) > SHOWN else []
    return remarks + more


def _run_pairs(folder: RunFolder, suite: Suite, manifest: Manifest) -> tuple[Pairs, list[str]]:
    """Return the run's answers paired with their items; if the items are missing, none and the reason."""
    try:
        submission = run_submission(folder, suite, manifest, manifest.identity.seeds[0])
    except DataMissing as error:
        return {}, [f"no items, matrices or disagreements: {error}"]
    return _sound(submission), []


def _load_submission(path: Path, suite: Suite, split: str | None) -> LoadedSystem:
    submission = read_submission(suite, path, split=split)
    if submission.unread and not submission.pairs and not submission.problems.count():
        raise DataMissing(submission.unread[0][1])
    result = score_submission(suite, submission)
    if not any(score.value is not None for score in result.scores):
        raise GluepotError(f"{path}: nothing to report. {_obstacle(result)}")
    splits = list(dict.fromkeys(row.split for row in result.scores))
    card = SystemCard(
        result.model, result.model, suite.name, result.version, splits, _task_count(result.scores), result.model.casefold() in BASELINES,
        partial=False, seeds=[], started=None, gluepot=None, data=result.data, remarks=_problems(result),
    )  # fmt: skip
    return LoadedSystem(card, suite, result.scores, result.overall, _sound(submission))


def _obstacle(result: Result) -> str:
    if result.problems:
        return str(result.problems[0])
    return next((str(score.reason) for score in result.scores if score.reason), "It has no predictions.")


def _sound(submission: Submission) -> Pairs:
    return {(pair.task.name, pair.split): pair for pair in submission.pairs if pair.sound}


def _task_count(scores: Sequence[Score]) -> int:
    return len({row.task for row in scores if row.value is not None})


def _keep_split(loaded: LoadedSystem, split: str) -> None:
    loaded.scores = [row for row in loaded.scores if row.split == split]
    loaded.overall = [mean for mean in loaded.overall if mean.split == split]
    loaded.pairs = {key: pair for key, pair in loaded.pairs.items() if key[1] == split}
    loaded.card = replace(loaded.card, splits=[name for name in loaded.card.splits if name == split], tasks=_task_count(loaded.scores))
