"""Evaluation of a model on a suite; the model is a name, an object or a function."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any, Literal

from gluepot.bounds import check_counts
from gluepot.library.loading import Place, resolve
from gluepot.library.running import Run
from gluepot.models.live import model_of
from gluepot.runs.evaluation import default_folder
from gluepot.runs.pipeline import RunRequest, evaluate_model
from gluepot.runs.prediction.execution.executors import EXECUTORS
from gluepot.runs.prediction.plan import make_plan
from gluepot.runs.storage.store import RunFolder
from gluepot.statistics.bootstrap import RESAMPLES


def evaluate(
    model: Any,
    place: Place,
    *,
    tasks: Sequence[str] = (),
    split: str | None = None,
    seeds: int | None = None,
    limit: int | None = None,
    protocol: str = "suite",
    out: str | Path | None = None,
    resume: bool = True,
    jobs: int = 1,
    on: Literal["local", "ray"] = "local",
    address: str | None = None,
    resamples: int = RESAMPLES,
    **settings: Any,
) -> Run:
    """Evaluate a model and store everything in a run folder, like `gluepot evaluate`; an interrupted run is resumed.

    The model is a name (`"tfidf-svm"`, `"encoder:./my-bert"`, with `settings` as on the command line: `batch_size=8`), an object
    with `fit` and `predict`, or a function from a list of examples to a list of answers, which does not see the gold answers.

    >>> import gluepot, tempfile
    >>> def shouting(examples):
    ...     return ["negative" if "!" in example.inputs["text"] else "neutral" for example in examples]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = gluepot.evaluate(shouting, "pocket/stance-sv", out=folder + "/run")
    ...     [round(row.value, 3) for row in run.scores.scores if row.metric == "accuracy"]
    [0.35]
    """
    check_counts(jobs=jobs, seeds=seeds, limit=limit, resamples=resamples)
    suite, task = resolve(place)
    named = model_of(model, **settings)
    wanted = [*([task.name] if task else []), *tasks]
    plan = make_plan(named, suite, tasks=wanted, split=split, seeds=seeds, limit=limit, protocol=protocol)
    folder = Path(out) if out is not None else _folder(str(named), suite.name, fresh=named.info.live)
    request = RunRequest(suite, named, plan, RunFolder(folder), resume=resume, resamples=resamples)
    evaluate_model(request, EXECUTORS[on](jobs=jobs, address=address))
    return Run(folder)


def _folder(model: str, suite: str, *, fresh: bool) -> Path:
    """Return the default folder of a run; with `fresh`, an unused one, since two functions cannot be compared."""
    folder = default_folder(model, suite)
    if not fresh or not folder.exists():
        return folder
    return next(other for number in count(2) if not (other := folder.with_name(f"{folder.name}-{number}")).exists())
