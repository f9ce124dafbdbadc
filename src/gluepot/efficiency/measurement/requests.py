"""Preparation of a measurement from command-line options: the model as a program, the items, the folder of the records."""

import pickle
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gluepot.data.examples import load_examples
from gluepot.data.folders import has_split, split_name
from gluepot.efficiency.hardware import HardwareProfile
from gluepot.efficiency.measurement.measuring import MeasureRequest, ProgramMaker
from gluepot.efficiency.measurement.questions import TimedQuestions
from gluepot.efficiency.measurement.serving import NOT_KEPT, ServingRequest
from gluepot.errors import DataMissing, GluepotError, WrongUse
from gluepot.masking import mask_secrets
from gluepot.models import ModelName, make_adapter
from gluepot.programs.execution import Program, run_program
from gluepot.programs.limits import Limits
from gluepot.records import Suite, Task
from gluepot.runs.prediction.plan import make_plan
from gluepot.runs.storage.manifest import make_manifest

PROGRAMS = ("program", "image")
"""Kinds of models that are programs themselves."""


@dataclass(frozen=True)
class MeasureOptions:
    """Options common to all measurements of one command."""

    out: Path
    records: int
    batch: int
    repeats: int
    split: str | None = None
    protocol: str = "suite"
    seconds: float | None = None
    price: float | None = None


@contextmanager
def prepare(
    model: ModelName, suite: Suite, task: Task, options: MeasureOptions, profile: HardwareProfile, say: Callable[[str], None]
) -> Iterator[MeasureRequest]:
    """Yield the request of a measurement; the trained model is deleted afterwards."""
    split = split_name(task, options.split) if options.split else default_split(suite, task)
    if not has_split(task, split):
        raise DataMissing(f"{task.path}: the {split} split is not here. Get it with `gluepot data fetch {task.suite}`.")
    questions = TimedQuestions(task, load_examples(task, split))
    if not questions.examples:
        raise GluepotError(f"{task.path}: the {split} split is empty.")
    plan = make_plan(model, suite, tasks=[task.name], split=split, seeds=1, protocol=options.protocol)
    with _program(model, suite, task, split, options, say) as (program, each_time, sandbox):
        yield MeasureRequest(
            model=str(model),
            suite=suite,
            task=task,
            split=split,
            program=program,
            questions=questions,
            folder=options.out / folder_name(str(model)) / task.name,
            profile=profile,
            records=options.records,
            batch=options.batch,
            repeats=options.repeats,
            price=options.price,
            learned_each_time=each_time,
            sandbox=sandbox,
            identity=make_manifest(plan, suite, model, plan.protocol, ()).identity,
            say=say,
        )


def default_split(suite: Suite, task: Task) -> str:
    """Return the split that the suite scores, if its answers are available; else the dev split, as in the paper."""
    wanted = split_name(task, suite.score_split)
    if has_split(task, wanted) and any(example.target is not None for example in load_examples(task, wanted)[:1]):
        return wanted
    try:
        other = split_name(task, "dev")
    except WrongUse:
        return wanted
    return other if has_split(task, other) else wanted


@contextmanager
def _program(
    model: ModelName, suite: Suite, task: Task, split: str, options: MeasureOptions, say: Callable[[str], None]
) -> Iterator[tuple[ProgramMaker, bool, str]]:
    """Yield the program to start, whether it is trained at each start, and the title of its sandbox."""
    if model.info.argument_kind in PROGRAMS:
        adapter: Any = make_adapter(model)
        yield adapter.program, False, adapter.sandbox.title if adapter.sandbox else ""
        return
    if model.info.live:
        raise WrongUse(f"{model}: a model that a Python program hands over has no start of its own; measure it as command:'…'.")
    folder = Path(tempfile.mkdtemp(prefix="gluepot-measure-"))
    try:
        say(f"{task.name}: {model.info.preparation} …")
        learned = _learned(model, suite, task, split, options, folder)
        each_time = learned.stat().st_size == len(NOT_KEPT)
        words = (sys.executable, "-P", "-m", "gluepot.efficiency.measurement.serving", "serve", str(folder / "request"), str(learned))
        limits = Limits(seconds=options.seconds)
        yield (lambda batch: Program((*words, "--batch-size", str(batch)), limits, name=str(model))), each_time, ""
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _learned(model: ModelName, suite: Suite, task: Task, split: str, options: MeasureOptions, folder: Path) -> Path:
    """Train the adapter in a process of its own, and return the file with the result."""
    plan = make_plan(model, suite, tasks=[task.name], split=split, seeds=1, protocol=options.protocol)
    jobs = [job for job in plan.jobs if task.name in job.answers]
    if not jobs:
        raise GluepotError("; ".join(skipped.reason for skipped in plan.skipped) or f"{model} cannot be evaluated on {task.path}.")
    if jobs[-1].trials:
        raise WrongUse(f"{model}: a search over configurations is not a model; measure with --protocol quick.")
    request, learned = folder / "request", folder / "learned"
    request.write_bytes(pickle.dumps(ServingRequest(model, suite, jobs[-1], task.name, str(folder / "run"))))
    learning = (sys.executable, "-P", "-m", "gluepot.efficiency.measurement.serving", "learn", str(request), str(learned))
    outcome = run_program(Program(learning))
    if outcome.code or not learned.exists():
        raise GluepotError(f"{model} on {task.path}: {outcome.said[-1] if outcome.said else 'it could not learn.'}")
    return learned


def folder_name(model: str) -> str:
    """Return a model's name as a folder name: letters, digits and `-._`.

    >>> folder_name("command:'python3 my model.py'"), folder_name("tfidf-svm")
    ('command-python3-my-model.py', 'tfidf-svm')
    """
    safe = "".join(c if c.isalnum() or c in "-._" else "-" for c in mask_secrets(model))
    return "-".join(part for part in safe.split("-") if part)[-100:].lstrip(".") or "model"
