"""Checks of checksums: whether each file read is the one that was published, fetched or recorded."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from gluepot.data.checks.findings import Finding
from gluepot.data.checks.material import CHECKS, Material, Split
from gluepot.data.checksums import differs_in_form, digest_of
from gluepot.data.fetching.shelf import DataFolder, DataFolders
from gluepot.data.folders import available_splits, bundles_data, find_files
from gluepot.errors import GluepotError
from gluepot.plurals import pluralize
from gluepot.records import Task


@CHECKS.register("checksums")
def check_checksums(material: Material) -> Iterator[Finding]:
    """Compare the checksum of every file read; data bundled with a declaration is versioned with it and skipped."""
    try:
        files = list(_files(material))
    except GluepotError as error:
        yield material.problem("unreadable", None, str(error))
        return
    for split, shelf, name in files:
        yield from _compare(material, split, shelf, name)
    for split, shelf in {split.name: (split, shelf) for split, shelf, _ in files}.values():
        yield from _parts(material, split, shelf)


def note_unknown(material: Material) -> Iterator[Finding]:
    """Yield a note on files without a known checksum; it concerns the suite, not their contents."""
    try:
        unknown = [f"{shelf.name}/{name}" for _, shelf, name in _files(material) if shelf.expected(name) is None]
    except GluepotError:
        return
    if unknown:
        told = f"no checksum is known of {pluralize(len(unknown), 'file')} (`gluepot data check {material.task.suite} --record` keeps them)"
        yield material.note("checksum-unknown", None, told, unknown)


def _files(material: Material) -> Iterator[tuple[Split, DataFolder, str]]:
    """Yield every file read, once, with the first split that uses it and its data folder."""
    seen: set[Path] = set()
    shelves = DataFolders()
    for split in material.splits.values() if not bundles_data(material.task) else ():
        shelf = shelves[split.source.folder or material.task.suite]
        for path in (path for path in split.files if path not in seen and os.access(path, os.R_OK)):
            seen.add(path)
            yield split, shelf, path.relative_to(shelf.folder).as_posix()


def _compare(material: Material, split: Split, shelf: DataFolder, name: str) -> Iterator[Finding]:
    here, expected = digest_of(shelf.folder / name), shelf.expected(name)
    if expected is None or here == shelf.declared.get(name):
        return
    if here != expected[0]:
        yield _difference(material, split, shelf, name, expected)
    elif name in shelf.declared:
        # Another version was recorded; it is still reported, because results on it have a fingerprint of their own.
        found = _difference(material, split, shelf, name, (shelf.declared[name], "published"))
        yield replace(found, accepted=f"recorded here on {shelf.lock.recorded[name].date[:10]}.")


def _difference(material: Material, split: Split, shelf: DataFolder, name: str, expected: tuple[str, str]) -> Finding:
    right, who = expected
    path = shelf.folder / name
    form = differs_in_form(path, right)
    what = "has other line ends, byte order mark or last newline than the file" if form else "is not the file"
    sums = f"sha256 {right} was {who}, {digest_of(path)} is here"
    message = f"{shelf.name}/{name} {what} that was {who}: {sums}. {_remedy(material.task, shelf, name, right)}"
    return material.problem("checksum-form" if form else "checksum", split.name, message)


def _remedy(task: Task, shelf: DataFolder, name: str, right: str) -> str:
    """Return the remedy: fetch the file again, or record it."""
    fetch, record = f"`gluepot data fetch {task.suite}", f"`gluepot data check {task.suite} --record` accepts it."
    fetched = shelf.lock.files.get(name)
    if fetched and fetched.sha256 == digest_of(shelf.folder / name):
        return f"It came so from {fetched.source}: its publisher has changed it. {record}"
    if fetched and fetched.sha256 == right:
        return f"It was changed after it was fetched; {fetch} --force` brings it back. {record}"
    return f"Remove it and download it again with {fetch}`. {record}"


def _parts(material: Material, split: Split, shelf: DataFolder) -> Iterator[Finding]:
    """Report files of a pattern that are missing, and files that match it but were not published with the others."""
    named = split.source.files.get(split.name, [])
    for pattern in [named] if isinstance(named, str) else named:
        known = {path for path in (*shelf.declared, *shelf.lock.globs.get(pattern, [])) if _fits(path, pattern)}
        if "*" not in pattern or not known:
            continue
        here = {path.relative_to(shelf.folder).as_posix() for path in shelf.folder.glob(pattern)}
        if gone := sorted(known - here):
            what = f"{pluralize(len(gone), 'file')} of {len(known)} missing"
            yield material.problem("file-absent", split.name, what, (f"{shelf.name}/{path}" for path in gone))
        if more := sorted(here - known):
            what = f"{pluralize(len(more), 'file')} read along that {'was' if len(more) == 1 else 'were'} not published with the others"
            yield material.problem("file-unexpected", split.name, what, (f"{shelf.name}/{path}" for path in more))


def _fits(path: str, pattern: str) -> bool:
    return path.count("/") == pattern.count("/") and PurePosixPath(path).match(pattern)


def record_checksums(tasks: Iterable[Task]) -> list[str]:
    """Record the available files as the expected ones; return those that had no known checksum."""
    shelves, new = DataFolders(), []
    for task in tasks:
        for split in available_splits(task):
            source, files = find_files(task, split)
            shelf = shelves[source.folder or task.suite]
            names = (path.relative_to(shelf.folder).as_posix() for path in files)
            new += [f"{shelf.name}/{name}" for name in names if shelf.record(name)]
    for shelf in shelves.values():
        shelf.save()
    return new
