"""Validation of declarations against the registered kinds, metrics and formats; all mistakes are collected."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from math import isfinite
from pathlib import PurePosixPath

from gluepot.errors import nearest, unknown
from gluepot.metrics import METRICS
from gluepot.records import Source, Suite, Task
from gluepot.tasks import KINDS, Kind
from gluepot.tasks.declaration_file import DeclarationFile, Keys
from gluepot.tasks.formats import FORMATS, READERS
from gluepot.tasks.prompt_checks import check_prompt
from gluepot.tasks.search_path import NAME

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
"""Language tag as in BCP 47."""
COUNTED = ("items", "tokens")
"""Units of sizes where items have no groups."""
_HUB = re.compile(r"[\w.-]+(/[\w.-]+)?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_ADDRESS = re.compile(r"https?://[^\s/]+(/\S*)?")


def check_task(file: DeclarationFile, task: Task) -> None:
    """Check a task by itself, without its suite."""
    for key in ("title", "summary", "license"):
        if not getattr(task, key).strip():
            file.mistake((key,), "nothing stands there.")
    _check_language(file, task.language)
    for key, source in (("data", task.data), ("alternative", task.alternative)):
        if source is not None:
            _check_source(file, key, source)
            if source.counts not in COUNTED and "group" not in task.fields:
                file.mistake((key, "counts"), f"{unknown('unit', source.counts, COUNTED)} A word for groups needs a field group.")
    if task.kind not in KINDS:
        file.mistake(("kind",), unknown("task kind", task.kind, KINDS))
        return
    _check_fields(file, task)
    _check_labels(file, task)
    _check_coverage(file, task)
    _check_metrics(file, task)
    check_prompt(file, task)


def check_suite(file: DeclarationFile, suite: Suite, tasks: dict[str, Task], broken: Collection[str]) -> None:
    """Check the consistency of a suite; of tasks with mistakes of their own (`broken`), only the names are used."""
    _check_language(file, suite.language)
    if not NAME.fullmatch(suite.version):
        file.mistake(("version",), f"{suite.version!r}: it stands in addresses; letters, digits, '-', '_' and '.', as in '1.0'.")
    if suite.submission not in FORMATS:
        file.mistake(("submission",), unknown("submission format", suite.submission, FORMATS))
    splits = {split for task in tasks.values() for source in task.sources for split in source.files}
    if splits and not broken and suite.score_split not in splits:
        file.mistake(("score-split",), unknown("split of a task", suite.score_split, splits))
    if not suite.overall.terms or not all(suite.overall.terms):
        file.mistake(("overall", "terms"), "a list of lists, each with a task or more.")
    for entry in (entry for term in suite.overall.terms for entry in term):
        name, _, metric = entry.partition(":")
        if name not in tasks and name not in broken:
            file.mistake(("overall", "terms"), unknown("task", name, [*tasks, *broken]))
        elif metric and name in tasks and metric not in tasks[name].metrics:
            file.mistake(("overall", "terms"), unknown(f"metric of {name}", metric, tasks[name].metrics))


def check_order(file: DeclarationFile, order: list[str], declared: Collection[str]) -> None:
    """Check that `order` lists every task folder exactly once, and nothing else."""
    if not order:
        file.mistake(("order",), "a suite has a task or more.")
    for name in repeated(order):
        file.mistake(("order",), f"{name} stands there twice.")
    for name in dict.fromkeys(order):
        if name not in declared:
            likely = nearest(name, [other for other in declared if other not in order])
            remedy = f"Did you mean {likely!r}?" if likely else f"`gluepot new` makes one, or take {name} out."
            file.mistake(("order",), f"there is no {name}/task.toml. {remedy}")
    for name in sorted(set(declared) - set(order)):
        if not any(nearest(wrong, [name]) for wrong in order if wrong not in declared):
            file.mistake(("order",), f"{name}/task.toml is there, and {name} is not named here.")


def check_trained_on(file: DeclarationFile, task: Task, tasks: Collection[str], learnable: Collection[str]) -> None:
    if task.trained_on is None:
        return
    if task.trained_on not in tasks or task.trained_on == task.name:
        file.mistake(("trained-on",), unknown("other task", task.trained_on, [name for name in tasks if name != task.name]))
    elif task.trained_on not in learnable:
        file.mistake(("trained-on",), f"{task.trained_on} has no train split.")


def check_name(file: DeclarationFile, what: str, name: str) -> None:
    if not NAME.fullmatch(name):
        file.mistake((), f"{what} is called by its folder, and {name!r} has more than letters, digits, '-', '_' and '.': rename it.")


def repeated(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _check_language(file: DeclarationFile, language: str) -> None:
    if not _LANGUAGE.fullmatch(language):
        file.mistake(("language",), f"{language!r} is not a language tag: two or three lower-case letters, such as 'fo' (ISO 639).")


def _check_source(file: DeclarationFile, key: str, source: Source) -> None:
    if source.reader not in READERS:
        file.mistake((key, "reader"), unknown("reader", source.reader, READERS))
    if not source.files:
        file.mistake((key, "files"), "a split or more, each with its file.")
    for split, named in source.files.items():
        _check_paths(file, (key, "files", split), [named] if isinstance(named, str) else named)
    for name in ("rows", "unlabelled"):
        for split in getattr(source, name):
            if split not in source.files:
                file.mistake((key, name), unknown("split in files", split, source.files))
    _check_origin(file, key, source)
    for split, rows in source.rows.items():
        if rows < 0:
            file.mistake((key, "rows", split), f"{rows} is less than none.")


def _check_origin(file: DeclarationFile, key: str, source: Source) -> None:
    """Check the download sources of the files."""
    if source.hub is not None and not _HUB.fullmatch(source.hub):
        file.mistake((key, "hub"), f"{source.hub!r} is not a dataset on the Hub: OWNER/NAME.")
    if source.archive is not None and not _ADDRESS.fullmatch(source.archive):
        file.mistake((key, "archive"), f"{source.archive!r} is not the address of an archive: https://…")
    if source.sha256 is not None and not _SHA256.fullmatch(source.sha256):
        file.mistake((key, "sha256"), "64 digits of 0 to 9 and a to f, as sha256sum prints them.")


def _check_paths(file: DeclarationFile, keys: Keys, paths: list[str]) -> None:
    if not paths or not all(paths):
        file.mistake(keys, "a path, or a list of paths.")
    for path in paths:
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            file.mistake(keys, f"{path} leads out of the data folder: paths are relative to it.")
        elif not path.isprintable():
            file.mistake(keys, f"{path!r} has a control character, which no file's name has.")


def _check_fields(file: DeclarationFile, task: Task) -> None:
    kind = KINDS[task.kind]
    for key, fields in (("fields", task.fields), ("alternative-fields", task.alternative_fields)):
        absent = [name for name in (*kind.inputs, "target") if name not in fields] if fields or key == "fields" else []
        for name in fields:
            if name not in kind.fields:
                likely = nearest(name, absent)
                absent = [other for other in absent if other != likely]
                known = f"Did you mean {likely!r}?" if likely else f"Known: {', '.join(kind.fields)}."
                file.mistake((key, name), f"no field of a {kind.name} task. {known}")
        for name, theirs in fields.items():
            if not all(theirs.split(".")):
                file.mistake((key, name), f"{theirs!r} names no column: a name, with dots between those of nested ones.")
        if absent:
            file.mistake((key,), f"a {kind.name} task also needs {', '.join(absent)}.")
    if task.alternative_fields and task.alternative is None:
        file.mistake(("alternative-fields",), "there is no [alternative] that they could be of.")


def _check_labels(file: DeclarationFile, task: Task) -> None:
    kind = KINDS[task.kind]
    for label in repeated(task.labels):
        file.mistake(("labels",), f"{label!r} stands there twice.")
    for label in task.labels:
        if not label or label != label.strip():
            file.mistake(("labels",), f"{label!r}: a label is something, and has no space around it.")
    for name in kind.answer.needs:
        if not getattr(task, name):
            file.mistake((name,), f"a {kind.name} task needs its {name}{', [lowest, highest]' if name == 'scale' else ''}.")
    if len(set(kind.answer.classes(task))) == 1:
        file.mistake(("labels",), "one label alone asks nothing.")
    if kind.answer.per_token and task.labels and "O" not in task.labels:
        file.mistake(("labels",), "the tag 'O' (outside) is missing.")
    _check_scale(file, task, kind)


def _check_scale(file: DeclarationFile, task: Task, kind: Kind) -> None:
    if task.scale is not None and "scale" not in kind.answer.needs:
        file.mistake(("scale",), f"a {kind.name} task answers with {kind.answer.form}, which has no scale.")
    elif task.scale is not None and not (task.scale[0] < task.scale[1] and isfinite(task.scale[1] - task.scale[0])):
        file.mistake(("scale",), "[lowest, highest], and these are not two such numbers.")
    if task.off_scale and task.scale is None:
        file.mistake(("off-scale",), "there is no scale.")


def _check_coverage(file: DeclarationFile, task: Task) -> None:
    if not 0 < task.coverage <= 1:
        file.mistake(("coverage",), "a share of the items, above 0 and at most 1.")
    if not task.may_skip and (task.coverage != 1 or task.published_skips):
        file.mistake(("published-skips" if task.published_skips else "coverage",), "only where may-skip = true.")


def _check_metrics(file: DeclarationFile, task: Task) -> None:
    form = KINDS[task.kind].answer.form
    if not task.metrics:
        file.mistake(("metrics",), "at least one; the first ranks.")
    for name in repeated(task.metrics):
        file.mistake(("metrics",), f"{name} stands there twice.")
    for name in task.metrics:
        if name not in METRICS:
            file.mistake(("metrics",), unknown("metric", name, METRICS))
        elif form not in METRICS[name].takes:
            fitting = ", ".join(fitting_metrics(KINDS[task.kind]))
            judged = " or ".join(METRICS[name].takes)
            file.mistake(("metrics",), f"{name} judges {judged}, a {task.kind} task answers with {form}. Fitting: {fitting}.")
    for name, options in task.metric_options.items():
        if name not in task.metrics:
            file.mistake(("metric-options", name), unknown("metric of this task", name, task.metrics))
        elif name in METRICS:
            for option in (option for option in options if option not in METRICS[name].options):
                file.mistake(("metric-options", name, option), unknown(f"option of {name}", option, METRICS[name].options))


def fitting_metrics(kind: Kind) -> list[str]:
    """Return the metrics that accept the answers of a task kind."""
    return [name for name in METRICS if kind.answer.form in METRICS[name].takes]
