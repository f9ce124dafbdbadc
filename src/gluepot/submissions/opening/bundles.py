"""Opening of a submission (a folder, a zip or one file) without trusting it: sizes, paths, links and nesting are checked first."""

import os
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

from gluepot.errors import WrongUse
from gluepot.submissions.opening.entries import ARCHIVES as ARCHIVES
from gluepot.submissions.opening.entries import (
    ENTRIES,
    Bundle,
    SubmissionFile,
    displayed,
    has_safe_name,
    is_junk,
    is_no_archive,
    open_plain,
    refuse_link,
    within_limits,
)
from gluepot.submissions.opening.zips import explain, open_zip
from gluepot.submissions.problems import Problems

DEEPEST = 20
"""Maximum depth of folders; os.walk recurses for each."""


@contextmanager
def open_bundle(path: Path, problems: Problems) -> Iterator[Bundle]:
    """Yield the files at `path`; what must not be opened is reported as a problem instead."""
    try:
        mode = path.stat().st_mode
        packed = stat.S_ISREG(mode) and (path.suffix.lower() == ".zip" or zipfile.is_zipfile(path))
    except FileNotFoundError as error:
        raise WrongUse(f"{displayed(str(path))}: no such file or folder.") from error
    except (OSError, ValueError) as error:
        raise WrongUse(f"{displayed(str(path))}: {explain(error)}.") from error
    if stat.S_ISDIR(mode):
        yield _open_folder(path, problems)
    elif packed:
        with open_zip(path, problems) as bundle:
            yield bundle
    elif stat.S_ISREG(mode):
        yield _open_file(path.resolve(), path.name, problems)
    else:
        raise WrongUse(f"{displayed(str(path))}: neither a folder nor an ordinary file.")


def _open_file(path: Path, name: str, problems: Problems) -> Bundle:
    bundle, name = Bundle(displayed(Path(name).stem), single=True), displayed(name)
    if path.suffix.lower() in ARCHIVES:
        problems.add("unsupported-archive", "only zip archives are taken.", file=name, hint="Unpack it, or pack it as zip.")
    elif within_limits([(name, path.stat().st_size)], name, problems):
        bundle.entries.append(SubmissionFile(name, path.stat().st_size, partial(open_plain, path)))
    return bundle


def _open_folder(folder: Path, problems: Problems) -> Bundle:
    bundle = Bundle(displayed(folder.resolve().name))
    found = list(islice(_walk(folder, bundle, problems), ENTRIES + 1))
    sizes = {name: _plain_size(name, path, problems) for name, path in found} if len(found) <= ENTRIES else dict.fromkeys(dict(found), 0)
    if within_limits(((name, size or 0) for name, size in sizes.items()), bundle.name, problems):
        for name, path in found:
            if (size := sizes[name]) is not None and has_safe_name(name, problems) and is_no_archive(name, problems):
                bundle.entries.append(SubmissionFile(name, size, partial(open_plain, path)))
    return bundle


def _walk(folder: Path, bundle: Bundle, problems: Problems) -> Iterator[tuple[str, Path]]:
    """Yield everything below a folder except folders, with the name for messages, in an order that is the same everywhere."""

    def refuse(error: OSError) -> None:
        name = os.path.relpath(error.filename, folder)
        problems.add("unreadable", f"cannot be listed: {explain(error)}.", file=displayed(name), hint="Check the permissions.")

    for place, folders, files in os.walk(folder, onerror=refuse):
        inside = Path(place).relative_to(folder)
        junk = [name for name in (*folders, *files) if is_junk(name, bundle)]
        bundle.junk += [(inside / name).as_posix() for name in junk]
        folders[:] = sorted(name for name in folders if name not in junk)
        links = [name for name in folders if Path(place, name).is_symlink()]
        if len(inside.parts) >= DEEPEST and folders:
            problems.add("too-deep", f"more than {DEEPEST} folders in folders.", file=displayed(inside.as_posix()), hint="Use fewer.")
            folders.clear()
        for name in (*links, *sorted(files)):
            if name not in junk:
                yield (inside / name).as_posix(), Path(place, name)


def _plain_size(name: str, path: Path, problems: Problems) -> int | None:
    """Return the size of a regular file; report a problem and return None for anything else."""
    try:
        status = path.lstat()
    except OSError as error:
        problems.add("unreadable", f"cannot be read: {explain(error)}.", file=displayed(name), hint="Check the file.")
        return None
    if stat.S_ISLNK(status.st_mode):
        refuse_link(name, problems)
    elif not stat.S_ISREG(status.st_mode):
        problems.add("wrong-type", "not an ordinary file.", file=displayed(name), hint="Put a file of predictions there.")
    else:
        return status.st_size
    return None
