"""Dataset card: header, contents of declaration and sheets, and instructions for loading and evaluation."""

import re
from collections.abc import Iterable, Iterator, Sequence

from gluepot.data.export.columns import LABEL, Column
from gluepot.data.export.header import make_header
from gluepot.data.export.layout import METADATA, ExportedSuite, ExportedTask
from gluepot.plurals import pluralize
from gluepot.tasks.sheets import load_sheet

_CHANGES = "Which changes have been made, compared to the previous version*"
_HEADINGS = {"Format*": "Format of the original files"}
_SHOWN_LABELS = 30


def make_card(exported: ExportedSuite) -> str:
    """Return the text of README.md."""
    parts = [f"# {exported.suite.title}", exported.suite.summary, _facts(exported), *_tasks(exported), *_notes(exported)]
    parts += [*_use(exported), *_terms(exported)]
    for one in exported.tasks:
        parts += _task(one)
    return make_header(exported) + "\n" + "\n\n".join([*parts, *_changes(exported)]) + "\n"


def _facts(exported: ExportedSuite) -> str:
    suite = exported.suite
    languages = ", ".join(exported.languages)
    return f"Version {suite.version} · {languages} · {suite.link}"


def _tasks(exported: ExportedSuite) -> Iterator[str]:
    yield "## Tasks"
    rows = [
        (
            f"`{one.task.name}`",
            one.task.summary,
            one.task.language,
            one.task.kind,
            ", ".join(f"{split.hub_name} {split.examples:,}" for split in one.splits),
            ", ".join(one.task.metrics),
            one.task.license,
        )
        for one in exported.tasks
    ]
    yield _table(("configuration", "task", "language", "kind", "sizes", "metrics", "licence"), rows)
    yield "The first metric of a task ranks."


def _notes(exported: ExportedSuite) -> Iterator[str]:
    """Yield notes on the differences from the suite as published."""
    notes = []
    renamed = {(split.name, split.hub_name) for one in exported.tasks for split in one.splits if split.name != split.hub_name}
    if renamed:
        names = "; ".join(f"`{hub}` is what the suite calls `{own}`" for own, hub in sorted(renamed))
        notes.append(f"Splits have the names that the hub uses: {names}.")
    for one in exported.tasks:
        if silent := [f"`{split.hub_name}`" for split in one.splits if split.unlabelled]:
            notes.append(f"`{one.task.name}`: {_listed(silent)} has no answers (`target` is null): they are not published.")
        if one.absent:
            notes.append(f"`{one.task.name}`: {_listed(f'`{split}`' for split in one.absent)} is declared and not part of this export.")
    left_out = [name for name in exported.suite.tasks if name not in {one.task.name for one in exported.tasks}]
    if left_out:
        notes.append(f"Not part of this export: {_listed(f'`{name}`' for name in left_out)}.")
    if notes:
        yield "## Splits and completeness"
        yield "\n".join(f"- {note}" for note in notes)


def _use(exported: ExportedSuite) -> Iterator[str]:
    suite, one = exported.suite, exported.tasks[0]
    split = one.splits[-1]
    yield "## Load"
    yield (
        "```python\nfrom datasets import load_dataset\n\n"
        f'data = load_dataset("{suite.name}", "{one.task.name}", split="{split.hub_name}")  # this folder, or its name on the hub\n```'
    )
    yield f"`{METADATA}` describes the same files for whatever reads Croissant; `sha256sum -c SHA256SUMS` checks them."
    yield "## Evaluate"
    place, answers = f"{suite.name}/{one.task.name}", "predictions.jsonl"
    yield f"```console\n$ gluepot evaluate majority {suite.name}\n$ gluepot score {place} {answers}\n```"
    terms = ", ".join(" & ".join(term) for term in suite.overall.terms)
    yield f"The suite's one number is the mean of {terms}. {suite.overall.note}".rstrip()


def _terms(exported: ExportedSuite) -> Iterator[str]:
    yield "## Licence"
    lines = []
    for license_ in exported.licenses:
        bound = [f"`{one.task.name}`" for one in exported.tasks if license_ in one.licenses]
        names = _listed(bound) if len(bound) < len(exported.tasks) else "all tasks" if len(bound) > 1 else bound[0]
        link = f"[{license_.name}]({license_.url})" if license_.url else license_.name
        lines.append(f"- {link}: {names}{' (not for commercial use)' if license_.noncommercial else ''}")
    yield "\n".join(lines)
    yield "Texts and answers are those of the publishers; fields were renamed and laid out in tables."
    yield "## Cite"
    yield "\n\n".join(dict.fromkeys([exported.suite.citation, *(one.task.citation for one in exported.tasks)]))


def _task(one: ExportedTask) -> Iterator[str]:
    yield f"## {one.task.title}"
    yield f"{one.task.summary} Configuration `{one.task.name}`, kind *{one.task.kind}*."
    yield _table(("column", "type", "what it is"), [(f"`{column.name}`", _type(column), column.meaning) for column in one.columns])
    for section, fields in load_sheet(one.task).sections():
        told = [(name, text) for name, text in fields if name not in ("Title*", _CHANGES) and text.strip()]
        if told:
            yield f"### {section}"
        for name, text in told:
            yield f"**{_HEADINGS.get(name, name.rstrip('*'))}**"
            yield _below(text)


def _changes(exported: ExportedSuite) -> Iterator[str]:
    """Yield the changelogs of the sheets; tasks with the same text share one."""
    told: dict[str, list[str]] = {}
    for one in exported.tasks:
        if text := load_sheet(one.task).fields.get(_CHANGES, "").strip():
            told.setdefault(text, []).append(f"`{one.task.name}`")
    if told:
        yield "## Changes"
    for text, names in told.items():
        yield _below(text) if len(names) == len(exported.tasks) else f"{_listed(names)}: {_below(text)}"


def _type(column: Column) -> str:
    inner = column.type
    if column.type == LABEL:
        inner = (
            f"one of {', '.join(column.labels)}"
            if len(column.labels) <= _SHOWN_LABELS
            else f"one of {pluralize(len(column.labels), 'label')}"
        )
    return "list of " * column.depth + inner


def _below(text: str) -> str:
    """Return a sheet's text with its headings, if any, below those of the card."""
    return re.sub(r"^#{1,4} +(.*)$", r"##### \1", text.strip(), flags=re.MULTILINE)


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join("| " + " | ".join(re.sub(r"\s+", " ", cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def _listed(names: Iterable[str]) -> str:
    """Join names for use in a sentence.

    >>> _listed(["a", "b", "c"])
    'a, b and c'
    """
    found = list(names)
    return " and ".join([", ".join(found[:-1]), found[-1]]) if len(found) > 1 else found[0]
