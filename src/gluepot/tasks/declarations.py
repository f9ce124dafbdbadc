"""Reads suites and tasks from their TOML declarations and refuses what cannot be meant."""

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from gluepot.errors import WrongUse, fold, nearest, unknown
from gluepot.metrics import METRICS
from gluepot.records import Overall, Suite, Task, TrainingProtocol
from gluepot.tasks import KINDS

T = TypeVar("T")
SUITES = Path(str(files("gluepot") / "suites"))


def suite_names() -> list[str]:
    """The declared suites, alphabetically."""
    return sorted(folder.name for folder in SUITES.iterdir() if (folder / "suite.toml").is_file())


def load_suites() -> list[Suite]:
    return [load_suite(name) for name in suite_names()]


@cache
def load_suite(name: str) -> Suite:
    """One suite with all its tasks, by any spelling of its name that differs in case or `_`."""
    names = suite_names()
    found = next((n for n in names if fold(n) == fold(name)), None)
    if found is None:
        raise WrongUse(unknown("suite", name, names))
    return read_suite(SUITES / found)


def find(path: str) -> tuple[Suite, Task | None]:
    """`suite` or `suite/task` to the records, by any spelling that differs in case or `_`."""
    suite_name, _, task_name = path.partition("/")
    suite = load_suite(suite_name)
    return suite, find_task(suite, task_name) if task_name else None


def find_task(suite: Suite, name: str) -> Task:
    for task in suite.tasks.values():
        if fold(task.name) == fold(name):
            return task
    raise WrongUse(f"{suite.name}: {unknown('task', name, suite.tasks)}")


def read_suite(folder: Path) -> Suite:
    """A suite from its folder: `suite.toml` and one folder a task."""
    suite = _read(folder / "suite.toml", Suite)
    declared = {p.parent.name for p in folder.glob("*/task.toml")}
    if declared != set(suite.order):
        odd = ", ".join(sorted(declared ^ set(suite.order)))
        raise WrongUse(f"{folder.name}/suite.toml: order: must name each task folder once; check {odd}.")
    tasks = {name: read_task(folder / name) for name in suite.order}
    _check_overall(f"{folder.name}/suite.toml: overall", suite.overall, tasks)
    for task in tasks.values():
        training_of(suite, task)
    return msgspec.structs.replace(suite, name=folder.name, tasks=tasks)


def read_task(folder: Path) -> Task:
    """A task from its folder, with its kind, fields and metrics checked against what exists."""
    task = _read(folder / "task.toml", Task)
    task = msgspec.structs.replace(task, suite=folder.parent.name, name=folder.name)
    place = f"{task.path}/task.toml"
    if task.kind not in KINDS:
        raise WrongUse(f"{place}: kind: {unknown('task kind', task.kind, KINDS)}")
    _check_fields(place, task)
    _check_coverage(place, task)
    _check_metrics(place, task)
    return task


def training_of(suite: Suite, task: Task) -> TrainingProtocol | None:
    """How a suite trains encoders for a task: as it declares it, and as the task departs from that."""
    place = f"{task.path}/task.toml: training"
    if suite.training is None:
        if task.training:
            raise WrongUse(f"{place}: suite.toml has no [training] that a task could depart from.")
        return None
    try:
        return msgspec.convert({**msgspec.to_builtins(suite.training), **task.training}, TrainingProtocol)
    except msgspec.ValidationError as error:
        raise WrongUse(f"{place}: {_explain(str(error), TrainingProtocol)}") from error


def _check_fields(place: str, task: Task) -> None:
    kind = KINDS[task.kind]
    for name in (*task.fields, *task.alternative_fields):
        if name not in kind.fields:
            raise WrongUse(f"{place}: fields: {unknown(f'field of a {kind.name} task', name, kind.fields)}")
    missing = [name for name in (*kind.inputs, "target") if name not in task.fields]
    if missing:
        raise WrongUse(f"{place}: fields: a {kind.name} task also needs {', '.join(missing)}.")
    if kind.answer.form in ("label", "tags") and not task.labels:
        raise WrongUse(f"{place}: labels: a {kind.name} task needs its labels.")
    if kind.answer.form == "number" and task.scale is None:
        raise WrongUse(f"{place}: scale: a {kind.name} task needs its scale, [lowest, highest].")
    if task.scale is not None and not task.scale[0] < task.scale[1]:
        raise WrongUse(f"{place}: scale: [lowest, highest], and these are not two such numbers.")
    if task.off_scale and task.scale is None:
        raise WrongUse(f"{place}: off-scale: there is no scale that answers could leave.")


def _check_coverage(place: str, task: Task) -> None:
    if not 0 < task.coverage <= 1:
        raise WrongUse(f"{place}: coverage: a share of the items, above 0 and at most 1.")
    if not task.may_skip and (task.coverage != 1 or task.published_skips):
        raise WrongUse(f"{place}: {'published-skips' if task.published_skips else 'coverage'}: only where may-skip = true.")


def _check_metrics(place: str, task: Task) -> None:
    form = KINDS[task.kind].answer.form
    if not task.metrics:
        raise WrongUse(f"{place}: metrics: at least one; the first ranks.")
    for name in task.metrics:
        if name not in METRICS:
            raise WrongUse(f"{place}: metrics: {unknown('metric', name, METRICS)}")
        if form not in METRICS[name].takes:
            raise WrongUse(f"{place}: metrics: {name} judges {' or '.join(METRICS[name].takes)}, a {task.kind} task answers with {form}.")
    for name, options in task.metric_options.items():
        if name not in task.metrics:
            raise WrongUse(f"{place}: metric-options: {unknown('metric of this task', name, task.metrics)}")
        for option in options:
            if option not in METRICS[name].options:
                raise WrongUse(f"{place}: metric-options: {unknown(f'option of {name}', option, METRICS[name].options)}")


def _check_overall(place: str, overall: Overall, tasks: dict[str, Task]) -> None:
    for entry in (entry for term in overall.terms for entry in term):
        task, _, metric = entry.partition(":")
        if task not in tasks:
            raise WrongUse(f"{place}: {unknown('task', task, tasks)}")
        if metric and metric not in tasks[task].metrics:
            raise WrongUse(f"{place}: {unknown(f'metric of {task}', metric, tasks[task].metrics)}")


def _read(path: Path, shape: type[T]) -> T:
    place = "/".join(path.parts[-3:] if path.name == "task.toml" else path.parts[-2:])
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return msgspec.convert(table, shape)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise WrongUse(f"{place}: {_explain(str(error), shape)}") from error


def _explain(message: str, shape: type) -> str:
    """msgspec's message with the nearest legal key, where the key is the trouble."""
    if "unknown field" not in message:
        return message
    name = message.split("`")[1]
    keys = [f.encode_name for f in msgspec.structs.fields(shape)]
    guess = nearest(name, keys)
    return f"{message}. Did you mean {guess!r}?" if guess else f"{message}. Known: {', '.join(keys)}."
