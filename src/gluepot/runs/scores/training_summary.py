"""Summary of a run's training: what was selected and how much depends on it, what was truncated, what diverged."""

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import Any

from msgspec import Struct

from gluepot.data.examples import load_examples
from gluepot.data.folders import has_split
from gluepot.metrics import Unavailable
from gluepot.metrics.sample import value_of
from gluepot.models.protocols import OWN, QUICK, find_protocol
from gluepot.plurals import pluralize
from gluepot.records import Example, Suite, Task
from gluepot.runs.prediction.model_selection.bootstraps import BootstrappedMetric, Ints, published_interval, right_interval, test_rows
from gluepot.runs.prediction.model_selection.search import Training
from gluepot.runs.storage.manifest import Identity
from gluepot.runs.storage.store import RunFolder
from gluepot.submissions.pairing import PairedAnswers
from gluepot.tasks.judging import make_sample


class TrainedModel(Struct, frozen=True):
    """A trained model of a run."""

    task: str
    seed: int
    settings: str
    dev: float | None
    cut: dict[str, int] = {}
    """Texts that did not fit into the model, by task."""
    notes: list[str] = []
    diverged: str | None = None


class Configuration(Struct, frozen=True):
    """One trial of a search."""

    trial: int
    settings: str
    dev: float | None
    pruned: bool = False
    diverged: str | None = None


class Search(Struct, frozen=True):
    """All trials for one task; `spread` is the standard deviation between configurations."""

    task: str
    seed: int
    best: int
    spread: float | None
    configurations: list[Configuration]


def read_trained(folder: RunFolder, seeds: Sequence[int]) -> list[TrainedModel]:
    found = []
    for seed in seeds:
        for path in sorted((folder.path / "training" / f"seed-{seed}").glob("*.json")):
            training = _read(folder, path)
            if training.unsolved:  # reported with the tasks that have no answers
                continue
            notes = training.trained.get("notes", []) if training.trained else []
            cut = {task: count for task, count in training.cut.items() if count}
            task = training.task.partition("/")[2]
            found.append(TrainedModel(task, seed, str(training.used), training.best, cut, notes, training.diverged))
    return found


def read_searches(folder: RunFolder, seeds: Sequence[int]) -> list[Search]:
    searches = []
    numbers = {f"seed-{seed}": seed for seed in seeds}
    for place in sorted(path for path in (folder.path / "trials").glob("*/seed-*") if path.name in numbers):
        task, seed = place.parent.name, numbers[place.name]
        chosen = folder.path / "training" / place.name / f"{task}.json"
        if not chosen.is_file():
            continue
        trials = sorted((int(own.name), own / "training" / place.name / f"{task}.json") for own in place.iterdir() if own.name.isdigit())
        rows = [_configuration(number, _read(folder, path)) for number, path in trials if path.is_file()]
        values = [row.dev for row in rows if row.dev is not None]
        best = _read(folder, chosen).trial
        searches.append(Search(task, seed, best or 0, stdev(values) if len(values) > 1 else None, rows))
    return searches


def mean_spread(searches: Sequence[Search]) -> float | None:
    """Return the mean over tasks, the number in the paper's Table 3."""
    spreads = [search.spread for search in searches if search.spread is not None]
    return fmean(spreads) if spreads else None


def _read(folder: RunFolder, path: Any) -> Training:
    return folder.read(str(path.relative_to(folder.path)), Training)


def _configuration(number: int, training: Training) -> Configuration:
    return Configuration(number, str(training.used), training.best, training.pruned, training.diverged)


def score_bootstraps(suite: Suite, identity: Identity, seeds: Sequence[Sequence[PairedAnswers]]) -> list[BootstrappedMetric]:
    """Score each task's metrics over all bootstraps; a task that an iteration did not answer has none, so that no mean omits it."""
    if identity.protocol in (OWN, QUICK):
        return []
    rows = []
    for task in (suite.tasks[name] for name in identity.tasks):
        learned = suite.tasks[task.trained_on or task.name]
        if not find_protocol(identity.protocol, suite, learned).bootstraps:
            continue
        answered = [paired for pairs in seeds for paired in pairs if paired.task.name == task.name and paired.sound and not paired.skipped]
        examples = answered[0].examples if len(answered) == len(identity.seeds) and identity.limit is None else []
        if examples and all(example.target is not None for example in examples):
            train, dev = (load_examples(learned, part) if has_split(learned, part) else [] for part in ("train", "dev"))
            drawn = test_rows(train, dev, examples, len(identity.seeds))
            outputs = [paired.outputs for paired in answered]
            rows += [row for metric in task.metrics if (row := _bootstrapped(task, identity.split, metric, examples, outputs, drawn))]
    return rows


def _bootstrapped(
    task: Task, split: str, metric: str, examples: list[Example], outputs: list[list[Any]], drawn: list[Ints]
) -> BootstrappedMetric | None:
    try:
        raw = [
            value_of(make_sample(task, metric, [examples[n] for n in rows], [own[n] for n in rows]))
            for rows, own in zip(drawn, outputs, strict=True)
        ]
        whole = [make_sample(task, metric, examples, own) for own in outputs]
    except Unavailable:
        return None
    low, high = right_interval(("bootstraps", task.path, split), whole)
    return BootstrappedMetric(task.name, split, metric, metric == task.metrics[0], fmean(raw), *published_interval(raw), low, high, raw)


def training_notices(
    trained: Sequence[TrainedModel], searches: Sequence[Search], spread: float | None, bootstraps: Sequence[BootstrappedMetric]
) -> Iterator[str]:
    """Yield notices on the training of the models, a sentence each."""
    for model in trained:
        yield from model.notes
        for task, count in model.cut.items():
            texts = pluralize(count, "text did not fit into the model and was", "texts did not fit into the model and were")
            yield f"{task}: {texts} cut, or read in parts (seed {model.seed})."
        if model.diverged:
            yield f"{model.task}, seed {model.seed}: {model.diverged}"
    for search in searches:
        best = next((row for row in search.configurations if row.trial == search.best and row.dev is not None), None)
        if best is None:  # the trial's files were removed
            continue
        given_up = sum(row.pruned for row in search.configurations)
        diverged = sum(row.diverged is not None for row in search.configurations)
        others = f"{len(search.configurations)} ({given_up} pruned, {diverged} diverged)"
        yield f"{search.task}: best of {others}: {best.settings}, dev {best.dev:.3f}."
    if spread is not None:
        yield f"Standard deviation between configurations, mean over tasks: {spread:.3f}."
    for row in bootstraps:
        if row.primary and row.low is not None and row.published_low is not None:
            yield (
                f"{row.task}, {row.metric}, {pluralize(len(row.raw), 'bootstrap')}: {row.mean:.3f} ({row.low:.3f}–{row.high:.3f}); "
                f"as published {row.published_low:.3f}–{row.published_high:.3f}."
            )
