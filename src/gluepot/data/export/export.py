"""Export of a suite: licences, data and target are checked before tables, card, metadata and checksums are written."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from gluepot.data.checksums import digest_of
from gluepot.data.examples import load_examples
from gluepot.data.export.card import make_card
from gluepot.data.export.columns import find_columns, make_rows
from gluepot.data.export.croissant import make_croissant
from gluepot.data.export.folder import check_folder, staged, write_sums
from gluepot.data.export.layout import CARD, METADATA, ExportedSplit, ExportedSuite, ExportedTask
from gluepot.data.export.licenses import License, judge_tasks
from gluepot.data.export.splits import find_splits, hub_names, is_withheld
from gluepot.data.export.tables import WRITERS
from gluepot.data.folders import source_folder
from gluepot.errors import DataMissing, GluepotError, WrongUse
from gluepot.records import Example, Suite, Task


def export_suite(
    suite: Suite,
    folder: Path,
    tasks: Sequence[Task] = (),
    *,
    format_: str = "parquet",
    available: bool = False,
    accepted: Collection[str] = (),
    force: bool = False,
    watch: Callable[[Task], None] = lambda task: None,
) -> ExportedSuite:
    """Export a suite, or some of its tasks, into a folder; checks fail before anything is written."""
    wanted = list(tasks) or list(suite.tasks.values())
    _check_place(suite, wanted, folder)
    check_folder(folder, force=force)
    licenses = _check_licenses(suite, wanted, accepted)
    _check_data(suite, wanted, available=available)
    with staged(folder, force=force) as stage:
        found = []
        for task in wanted:
            if find_splits(task)[0]:
                watch(task)
                found.append(_export_task(task, stage, format_, licenses[task.name]))
        exported = ExportedSuite(suite, found, format_, {})
        (stage / CARD).write_text(make_card(exported), encoding="utf-8", newline="\n")
        (stage / METADATA).write_text(make_croissant(exported), encoding="utf-8", newline="\n")
        files = {path.relative_to(stage).as_posix(): digest_of(path) for path in sorted(stage.rglob("*")) if path.is_file()}
        write_sums(stage, files)
    return ExportedSuite(suite, found, format_, files)


def _export_task(task: Task, stage: Path, format_: str, licenses: tuple[License, ...]) -> ExportedTask:
    here, absent = find_splits(task)
    examples = {split: load_examples(task, split) for split in here}
    columns, names = find_columns(task, examples), hub_names(here)
    (stage / task.name).mkdir()
    splits = []
    for split, items in examples.items():
        path = stage / task.name / f"{names[split]}.{format_}"
        withheld = is_withheld(task, split)
        try:
            WRITERS[format_](path, columns, make_rows(task, columns, items, withheld=withheld))
        except UnicodeEncodeError as error:
            raise GluepotError(
                f"{task.path}: {split}: half a surrogate pair in {_first_broken(items)!r}: no text that can be written."
            ) from error
        unlabelled = withheld or all(item.target is None for item in items)
        relative = path.relative_to(stage).as_posix()
        splits.append(ExportedSplit(split, names[split], relative, len(items), digest_of(path), path.stat().st_size, unlabelled))
    return ExportedTask(task, columns, splits, absent, licenses)


def _check_place(suite: Suite, tasks: Sequence[Task], folder: Path) -> None:
    """Raise WrongUse if the folder belongs to the suite that is exported."""
    place = folder.resolve()
    own = [
        Path(suite.folder),
        *(Path(task.folder) for task in tasks),
        *(source_folder(task, source) for task in tasks for source in task.sources),
    ]
    if any(place == one.resolve() for one in own):
        raise WrongUse(f"{folder} belongs to {suite.name} itself. Name another folder.")


def _check_licenses(suite: Suite, tasks: Sequence[Task], accepted: Collection[str]) -> dict[str, tuple[License, ...]]:
    licenses, refusals = judge_tasks(suite, tasks, accepted)
    if not refusals:
        return licenses
    lines = [f"  {place} {reason}" for place, reason in refusals.items()]
    others = [task.name for task in tasks if task.path not in refusals] if suite.name not in refusals else []
    rest = [f"  The others: --tasks {','.join(others)}"] if others else []
    count = "a licence does" if len(refusals) == 1 else f"{len(refusals)} licences do"
    raise GluepotError("\n".join([f"{suite.name} was not exported: {count} not permit it.", *lines, *rest]))


def _check_data(suite: Suite, tasks: Sequence[Task], *, available: bool) -> None:
    absent = {task.path: find_splits(task) for task in tasks if find_splits(task)[1]}
    nothing = all(path in absent and not absent[path][0] for path in (task.path for task in tasks))
    if not absent or (available and not nothing):
        return
    lines = [f"  {path}: {', '.join(missing)}" for path, (_, missing) in absent.items()]
    remedy = f"Get it with `gluepot data fetch {suite.name}`, or point GLUEPOT_DATA at a folder that has it."
    partly = "" if nothing else " --available exports the rest."
    raise DataMissing("\n".join([f"{suite.name}: some of its data are missing.", *lines, f"  {remedy}{partly}"]))


def _first_broken(items: Sequence[Example]) -> str:
    def broken(item: Example) -> bool:
        try:
            repr(item).encode()
        except UnicodeEncodeError:
            return True
        return "\\ud" in repr(item)

    return next((item.id for item in items if broken(item)), items[0].id)
