"""Jobs that train by a protocol: data, configuration, storage of the trained model, and the best trial of a search."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from shutil import copyfile, rmtree
from typing import Any, Protocol

from msgspec import Struct, json, to_builtins
from msgspec.structs import replace

from gluepot.data.examples import load_examples
from gluepot.data.folders import find_files, fingerprint, has_split
from gluepot.models import Adapter, CannotSolve, ModelName, make_adapter
from gluepot.models.caches import cache_root
from gluepot.models.protocols import DivergedTraining, Settings
from gluepot.records import Example, Suite, Task
from gluepot.runs.prediction.model_selection.holdout import CHOSEN, DEV, choosing_split, ineligibility_reason, learning_data
from gluepot.runs.prediction.model_selection.pruning import FinishedTrial, make_watch
from gluepot.runs.prediction.plan import Job, trial_folder, wave_of
from gluepot.runs.storage.code import answering_code
from gluepot.runs.storage.fingerprints import model_fingerprint
from gluepot.runs.storage.manifest import commit_of, precision_of
from gluepot.runs.storage.store import RunFolder


class TunedAdapter(Adapter, Protocol):
    """An adapter that is trained with settings and can be saved."""

    settings: Settings
    trained: Any
    watch: Callable[[int, float], bool] | None

    def count_cut(self, task: Task, examples: Sequence[Example]) -> int: ...

    def set_checkpoint_folder(self, folder: Path) -> None:
        """Set the folder for checkpoints of an unfinished training."""
        ...

    def save(self, folder: Path) -> None: ...

    def load(self, task: Task, folder: Path) -> bool: ...


class Training(Struct, frozen=True):
    """Record of a model's training, the same when it is trained again except for the seconds in `trained`."""

    task: str
    seed: int
    settings: Settings
    trained: dict[str, Any] | None = None
    cut: dict[str, int] = {}
    """Texts that did not fit into the model, by answered task."""
    diverged: str | None = None
    unsolved: str | None = None
    """Reason why nothing could be learned, other than divergence."""
    trial: int | None = None
    """Number of the best trial of a search."""
    chosen_on: str | None = None
    """Split on which its best state was selected; records without it predate the field, when that was always the development data."""

    @property
    def best(self) -> float | None:
        return self.trained.get("best") if self.trained else None

    @property
    def used(self) -> Settings:
        """The settings with the learning rate that the model was trained with, which may depend on its width."""
        rate = self.trained.get("learning_rate") if self.trained else None
        return replace(self.settings, learning_rate=rate) if rate else self.settings

    @property
    def pruned(self) -> bool:
        return bool(self.trained and self.trained.get("pruned"))


def record_name(job: Job) -> str:
    return _record_name(job.learns, job.seed)


def _record_name(task: str, seed: int) -> str:
    return f"training/seed-{seed}/{task}.json"


def read_training(run: RunFolder, job: Job) -> Training | None:
    return _read_record(run, record_name(job))


def _read_record(run: RunFolder, name: str) -> Training | None:
    return run.read(name, Training) if (run.path / name).is_file() else None


def run_ineligibility_reason(run: RunFolder, suite: Suite, task: Task, split: str, seed: int) -> str:
    """Return why a run's answers to a split must not be ranked; the same holds for anything derived from them."""
    training = _read_record(run, _record_name(task.trained_on or task.name, seed))
    chosen = None if training is None or training.best is None else training.chosen_on or DEV
    return ineligibility_reason(suite, task, split, chosen)


def require_eligible(run: RunFolder, suite: Suite, task: Task, split: str) -> None:
    """Raise CannotSolve if a run's model was selected on these items, which a new name for its answers would hide."""
    seeds = [int(number) for path in run.path.glob("training/seed-*") if (number := path.name.removeprefix("seed-")).isdecimal()]
    if any(run_ineligibility_reason(run, suite, task, split, seed) == CHOSEN for seed in seeds):
        raise CannotSolve(f"{run.path}: {task.path}, {split}: {CHOSEN}. Evaluate that model again, and then take its answers.")


def was_pruned(run: RunFolder, job: Job) -> bool:
    """Return whether a trial was pruned: it then has nothing to answer."""
    found = read_training(run, job) if job.trial is not None else None
    return found is not None and found.pruned


def tune(model: ModelName, suite: Suite, job: Job, folder: Path, limit: int | None) -> TunedAdapter:
    """Return a trained adapter, loaded if stored, otherwise newly trained. A partial run learns from no more items than it answers."""
    task, run = suite.tasks[job.learns], RunFolder(job.place(folder))
    settings = job.settings
    assert settings is not None, "a protocol trains it"
    adapter: TunedAdapter = make_adapter(model, job.seed, settings=settings)
    place = training_place(model, suite, job, settings, limit, folder)
    if not adapter.load(task, place):
        adapter.watch = make_watch(trials_before(job, folder), f"{task.path} {settings}") if job.trial is not None and job.wave else None
        adapter.set_checkpoint_folder(place)
        try:
            data = learning_data(suite, job, limit, chooses=True)
            adapter.fit(task, data.train, data.dev)
        except CannotSolve as error:
            training = Training(task.path, job.seed, settings)
            why = str(error)
            run.write(
                record_name(job),
                replace(training, diverged=why) if isinstance(error, DivergedTraining) else replace(training, unsolved=why),
            )
            raise
        adapter.save(place)
    trained = Training(task.path, job.seed, settings, to_builtins(adapter.trained))
    run.write(record_name(job), replace(trained, chosen_on=choosing_split(suite, job)) if trained.best is not None else trained)
    return adapter


def note_cut(adapter: TunedAdapter, suite: Suite, job: Job, folder: Path, limit: int | None) -> None:
    """Record how many texts will be truncated before anything is answered: a run that is killed in between then reports the same."""
    run = RunFolder(job.place(folder))
    found = read_training(run, job)
    if found is not None and not found.pruned:
        tasks = [suite.tasks[name] for name in job.answers]
        cut = {task.name: adapter.count_cut(task, load_examples(task, job.split)[:limit]) for task in tasks}
        run.write(record_name(job), replace(found, cut=cut))


def finish(adapter: TunedAdapter, suite: Suite, job: Job, model: ModelName, folder: Path, limit: int | None) -> None:
    """Delete the weights, unless other tasks are trained on this one."""
    if not any(task.trained_on == job.learns for task in suite.tasks.values()):
        rmtree(training_place(model, suite, job, adapter.settings, limit, folder), ignore_errors=True)


def trials_of(job: Job, folder: Path, numbers: Sequence[int]) -> list[tuple[int, Training]]:
    found = []
    for number in numbers:
        training = read_training(RunFolder(trial_folder(folder, job.learns, job.seed, number)), job)
        if training is not None:
            found.append((number, training))
    return found


def trials_before(job: Job, folder: Path) -> list[FinishedTrial]:
    """Return the finished trials of the first wave, which prune the second; trials of the same wave never do, whatever their order."""
    numbers = [number for number in range(64) if wave_of(number, 64) < job.wave]
    known = [training for _, training in trials_of(job, folder, numbers) if training.best is not None]
    return [
        FinishedTrial([_value(training, look) for look in (training.trained or {})["looks"]], training.best or 0.0) for training in known
    ]


def _value(training: Training, look: dict[str, Any]) -> float:
    """Return the selection value of an evaluation; higher is better."""
    by_loss = training.settings.select == "loss"
    value = look["dev_loss"] if by_loss else look["dev_score"]
    return float("-inf") if value is None else -value if by_loss else value


def take_best(job: Job, folder: Path) -> int:
    """Copy the answers of the best trial into the run: best on development data, the first of equals. Return the number of answers."""
    trials = trials_of(job, folder, range(job.trials))
    usable = [(number, training) for number, training in trials if training.best is not None and not training.pruned]
    if not usable:
        reasons = [why for _, training in trials if (why := training.diverged or training.unsolved)]
        raise CannotSolve(reasons[0] if reasons else f"{job.learns}: no trial has a score on development data.")
    number, best = max(usable, key=lambda trial: (trial[1].best, -trial[0]))
    run, source, count = RunFolder(folder), RunFolder(trial_folder(folder, job.learns, job.seed, number)), 0
    for name in job.answers:
        taken = source.predictions(name, job.split, job.seed)
        target = run.predictions(name, job.split, job.seed)
        target.path.parent.mkdir(parents=True, exist_ok=True)
        draft = target.path.with_suffix(".draft")
        copyfile(taken.path, draft)
        draft.replace(target.path)
        count += target.count()
    run.write(record_name(job), replace(best, trial=number))
    return count


def training_place(model: ModelName, suite: Suite, job: Job, settings: Settings, limit: int | None, folder: Path) -> Path:
    """Return the folder of a trained model: shared with other runs, or in the run's own folder if it is to be trained afresh."""
    return folder / "trained" / job.name if job.afresh else shared_model_path(model, suite, job, settings, limit)


def shared_model_path(model: ModelName, suite: Suite, job: Job, settings: Settings, limit: int | None) -> Path:
    """Return the shared folder of a trained model, keyed by all that its weights depend on, so that equal runs find it."""
    task = suite.tasks[job.learns]
    data = [fingerprint(find_files(task, split)[1]) for split in ("train", "dev") if has_split(task, split)]
    of = [
        str(model),
        model_fingerprint(model),
        task.path,
        data,
        to_builtins(settings),
        job.seed,
        job.resampled,
        limit,
        choosing_split(suite, job),
        answering_code(model, [task]),
    ]
    return cache_root() / "trained" / sha256(json.encode([*of, precision_of(model), commit_of(model)])).hexdigest()[:24]
