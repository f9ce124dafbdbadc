"""A new task in a suite, from a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from gluepot.data.examples import Shape
from gluepot.data.scaffolding.prompts import plain_prompt
from gluepot.data.scaffolding.proposals import Proposal, propose
from gluepot.data.scaffolding.splitting import DEFAULT_SHARES, indivisible_groups, split_items, strata
from gluepot.data.scaffolding.table_files import Row
from gluepot.data.scaffolding.tables import read_table
from gluepot.data.scaffolding.writing import TEMPLATE_VERSION, NewFiles, add_task, format_sheet, today
from gluepot.errors import InvalidOutput, WrongUse, unknown
from gluepot.files import write_atomically
from gluepot.plurals import pluralize
from gluepot.records import Example, Suite, Task
from gluepot.tasks import KINDS
from gluepot.tasks.declaration_checks import fitting_metrics
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.search_path import DECLARATION, NAME
from gluepot.tasks.sheets import DERIVED, FIELDS

USUAL_METRICS = {
    "classification": ("macro-f1", "accuracy", "mcc"),
    "pair-classification": ("accuracy", "macro-f1", "mcc"),
    "word-in-context": ("accuracy", "macro-f1", "mcc"),
    "coreference": ("accuracy", "macro-f1", "mcc"),
    "regression": ("spearman", "pearson"),
    "word-pair": ("spearman", "pearson"),
    "choice": ("accuracy",),
    "multi-choice": ("answer-f1", "question-exact-match"),
    "token-labelling": ("span-f1",),
    "cloze": ("exact-match", "token-f1"),
    "span-answer": ("token-f1", "exact-match"),
    "analogy": ("accuracy",),
    "summary": ("rouge-l", "rouge-1"),
}
"""Default metrics by kind of task; the first ranks."""
OBLIGATORY = [name.rstrip("*") for name in FIELDS if name.endswith("*") and name not in DERIVED]
MOST = 10
"""Number of rejected rows that are listed."""


@dataclass(frozen=True)
class TaskSettings:
    """Settings of a new task."""

    kind: str
    files: Sequence[Path]
    shares: Mapping[str, float] | None = None
    """Shares of the splits; None if the files have splits, or for the default shares."""
    group: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    language: str = ""
    title: str = ""
    license: str = ""
    seed: int = 0


@dataclass(frozen=True)
class NewTask:
    """A created task, with notes on what was guessed."""

    path: str
    files: list[str]
    splits: dict[str, int]
    notes: list[str]
    to_fill: int
    """Number of obligatory fields of the sheet that are still empty."""


def new_task(suite_folder: Path, name: str, settings: TaskSettings) -> NewTask:
    """Write a task into a suite: declaration, sheet and data; no existing file is changed but the suite's list of tasks."""
    if settings.kind not in KINDS:
        raise WrongUse(f"--kind: {unknown('task kind', settings.kind, KINDS)}")
    suite = require_free_name(suite_folder, name)
    source = read_table(settings.files)
    told = {**settings.fields, **({"group": settings.group} if settings.group else {})}
    proposal = propose(settings.kind, source.rows, told, name)
    proposal.notes[:0] = source.notes
    table = task_table(proposal, settings, suite.language, name)
    validate_rows(proposal, table, suite.name, name)
    splits = _splits(proposal, table, settings)
    files = write_task(suite_folder, name, table, splits, known := _known(proposal, settings))
    sizes = {split: len(rows) for split, rows in splits.items()}
    return NewTask(f"{suite.name}/{name}", files, sizes, proposal.notes, sum(field not in known for field in OBLIGATORY))


def require_free_name(suite_folder: Path, name: str) -> Suite:
    """Return the suite; raise WrongUse if a task of this name cannot be added to it."""
    if not NAME.fullmatch(name):
        raise WrongUse(f"{name!r}: a task is called by its folder: letters, digits, '-', '_' and '.' only.")
    suite = load_suite(suite_folder.resolve())
    for place in (suite_folder / name, suite_folder / "data" / name):
        if place.exists():
            raise WrongUse(f"{place} is there already and is left as it is. Choose another name, or remove it.")
    return suite


def write_task(
    suite_folder: Path,
    name: str,
    table: dict[str, Any],
    splits: Mapping[str, Sequence[Row]],
    known: Mapping[str, str],
    suite: Mapping[str, Any] | None = None,
) -> list[str]:
    """Write declaration, sheet and data, and add the task to the suite's declaration; `suite` declares a new suite."""
    table["data"] = {
        "files": {split: f"{name}/{split}.jsonl" for split in splits},
        "rows": {split: len(rows) for split, rows in splits.items()},
    }
    new = NewFiles(suite_folder)
    new.add_toml(f"{name}/task.toml", table, {"license": "the licence of the data, as SPDX calls it"})
    new.files[f"{name}/sheet.md"] = format_sheet(known, DERIVED)
    for split, rows in splits.items():
        new.add_rows(f"data/{name}/{split}.jsonl", rows)
    if suite is not None:
        new.add_toml(DECLARATION, suite)
        new.write()
    else:
        declaration = add_task(suite_folder / DECLARATION, name)
        new.write()
        write_atomically(suite_folder / DECLARATION, declaration.encode())
    load_suite(suite_folder.resolve())
    return list(new.files)


def task_table(proposal: Proposal, settings: TaskSettings, language: str, name: str) -> dict[str, Any]:
    kind = proposal.kind
    metrics = USUAL_METRICS.get(kind.name) or tuple(fitting_metrics(kind)[:1])
    if not metrics:
        raise WrongUse(f"no metric judges the answers of a {kind.name} task: register one first.")
    table: dict[str, Any] = {
        "title": settings.title or name.replace("-", " ").replace("_", " ").capitalize(),
        "summary": kind.summary,
        "kind": kind.name,
        "language": settings.language or language,
        "domain": [],
        "metrics": list(metrics),
    }
    if proposal.labels:
        table["labels"] = proposal.labels
    if proposal.scale:
        table["scale"] = list(proposal.scale)
    table |= {"license": settings.license or "unknown", "citation": "", "link": "", "data": {"files": {}}, "fields": proposal.fields}
    if prompt := plain_prompt(kind, proposal.labels, proposal.scale, pair="pair" in proposal.fields):
        table["prompt"] = prompt
    return table


def _examples(proposal: Proposal, table: Mapping[str, Any], suite: str, name: str) -> dict[str, list[Example | InvalidOutput]]:
    task = msgspec.structs.replace(msgspec.convert(dict(table), Task), suite=suite, name=name)
    shape = Shape(task, task.data)
    return {split: [_example(shape, row, number) for number, row in enumerate(rows)] for split, rows in proposal.rows.items()}


def _example(shape: Shape, row: Row, number: int) -> Example | InvalidOutput:
    try:
        return shape.example(row, number)
    except InvalidOutput as error:
        return error
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        return InvalidOutput("malformed", f"{type(error).__name__}: {error}.")


def validate_rows(proposal: Proposal, table: Mapping[str, Any], suite: str, name: str) -> None:
    """Raise WrongUse listing the rows that the kind rejects, before anything is written."""
    wrong = [
        f"{f'{split}, ' if split else ''}row {number + 1}: {example.message} {example.hint}".rstrip()
        for split, examples in _examples(proposal, table, suite, name).items()
        for number, example in enumerate(examples)
        if isinstance(example, InvalidOutput)
    ]
    if wrong:
        head = f"{pluralize(len(wrong), 'row')} cannot be taken for a {proposal.kind.name} task."
        more = [f"… and {len(wrong) - MOST:,} more"] if len(wrong) > MOST else []
        raise WrongUse("\n  ".join([head, *wrong[:MOST], *more]))


def _splits(proposal: Proposal, table: Mapping[str, Any], settings: TaskSettings) -> dict[str, list[Row]]:
    """Return the splits of the files, or draw splits if they have none."""
    given = {split: rows for split, rows in proposal.rows.items() if split}
    if given:
        if settings.shares:
            raise WrongUse(f"--split: the files have splits of their own ({', '.join(given)}).")
        order = sorted(given, key=lambda split: ("train", "dev", "test").index(split) if split in ("train", "dev", "test") else 3)
        return {split: given[split] for split in order}
    rows = proposal.rows[""]
    examples = [one for one in _examples(proposal, table, "", "")[""] if isinstance(one, Example)]
    pieces, duplicates = indivisible_groups(proposal.kind, examples)
    found = split_items(pieces, strata(proposal.kind, [e.target for e in examples]), settings.shares or DEFAULT_SHARES, settings.seed)
    if empty := [split for split, items in found.items() if not items]:
        pile = f"{pluralize(len(rows), 'row')} in {pluralize(len(pieces), 'group')} that stay together"
        raise WrongUse(f"--split: nothing is left for {', '.join(empty)}: {pile}.")
    proposal.notes.append(_how(proposal, settings, found, duplicates))
    return {split: [rows[item] for item in items] for split, items in found.items()}


def _how(proposal: Proposal, settings: TaskSettings, found: Mapping[str, Sequence[int]], duplicates: int) -> str:
    by = "stratified by the answer, " if proposal.kind.answer.categorical or proposal.kind.answer.by_distance else ""
    group = f"grouped by {settings.group}, " if settings.group else ""
    near = f"{pluralize(duplicates, 'near-duplicate')} kept on one side, " if duplicates else ""
    return f"{', '.join(f'{split} {len(items):,}' for split, items in found.items())} ({by}{group}{near}seed {settings.seed})"


def _known(proposal: Proposal, settings: TaskSettings) -> dict[str, str]:
    """Return the fields of the sheet that are known without the creators of the data."""
    keys = ", ".join(dict.fromkeys(name for rows in proposal.rows.values() for row in rows for name in row))
    return {
        "Format": f"JSON Lines; keys {keys}. UTF-8.",
        "Data preprocessing": f"Made by `gluepot new` from {', '.join(path.name for path in settings.files)}: {'; '.join(proposal.notes)}.",
        "Data last updated": today(),
        "Which changes have been made, compared to the previous version": "None: this is the first version.",
        "This document created": today(),
        "This document last updated": today(),
        "Documentation template version": TEMPLATE_VERSION,
    }
