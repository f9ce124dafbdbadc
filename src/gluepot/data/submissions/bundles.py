"""Opens a submission (a folder, a zip or one file) without trusting it: sizes, paths, links and nesting are checked first."""

import os
import stat
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from gluepot.data.submissions.problems import Problems
from gluepot.errors import WrongUse

UNPACKED = 512 * 1024**2
RATIO = 200
ENTRIES = 200
_DIRECTORY = 2 * 1024**2
"""A zip's list of contents beyond this size names far more than 200 files."""
ARCHIVES = (".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".7z", ".rar", ".zst")
_JUNK = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".git", ".ipynb_checkpoints"}


@dataclass
class Entry:
    """One file of a submission."""

    name: str
    size: int
    open: Callable[[], IO[bytes]]


@dataclass
class Bundle:
    """The files of a submission that are safe to read."""

    name: str
    entries: list[Entry] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


@contextmanager
def open_bundle(path: Path, problems: Problems) -> Iterator[Bundle]:
    """The files at `path`; what must not be opened is a problem instead."""
    if path.is_dir():
        yield _open_folder(path, problems)
    elif path.is_file() and (path.suffix.lower() == ".zip" or zipfile.is_zipfile(path)):
        bundle = Bundle(path.stem)
        try:
            _check_directory(path)
            with zipfile.ZipFile(path) as archive:
                _open_zip(archive, bundle, problems)
                yield bundle
        except (_TooBig, zipfile.BadZipFile, struct.error) as error:
            code = "zip-bomb" if isinstance(error, _TooBig) else "broken-archive"
            problems.add(code, f"{error}.", file=path.name, hint="Pack the prediction files again as an ordinary zip.")
            yield bundle
    elif path.is_file():
        bundle = Bundle(path.stem)
        if path.suffix.lower() in ARCHIVES:
            problems.add("unsupported-archive", "only zip archives are taken.", file=path.name, hint="Unpack it, or pack it as zip.")
        elif _within_limits([(path.name, path.stat().st_size)], problems):
            bundle.entries.append(Entry(path.name, path.stat().st_size, lambda: path.open("rb")))
        yield bundle
    else:
        raise WrongUse(f"{path}: no such file or folder.")


def _open_folder(folder: Path, problems: Problems) -> Bundle:
    bundle, found = Bundle(folder.resolve().name), []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not _is_junk(f, bundle))
        for name in [*folders, *sorted(files)]:
            path = Path(place, name)
            shown = path.relative_to(folder).as_posix()
            if path.is_symlink():
                problems.add("symlink", "a link is not followed.", file=shown, hint="Put the file itself there.")
            elif name in files and not _is_junk(name, bundle) and _is_plain(shown, path, problems):
                found.append((shown, path))
        if len(found) > ENTRIES:
            break
    if _within_limits([(name, path.stat().st_size) for name, path in found], problems):
        for name, path in found:
            bundle.entries.append(Entry(name, path.stat().st_size, lambda path=path: path.open("rb")))
    return bundle


def _is_plain(name: str, path: Path, problems: Problems) -> bool:
    if not stat.S_ISREG(path.stat().st_mode):
        problems.add("wrong-type", "not an ordinary file.", file=name)
        return False
    return _not_nested(name, problems)


class _TooBig(Exception):
    pass


def _check_directory(path: Path) -> None:
    """Reads the end of the archive before zipfile does, which would load a directory of any size."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        stream.seek(max(0, size - 65557))
        tail = stream.read()
    start = tail.rfind(b"PK\x05\x06")
    if start < 0:
        raise zipfile.BadZipFile("not a zip archive, or cut short")
    _, _, _, _, count, length, _, _ = struct.unpack("<4s4H2LH", tail[start : start + 22])
    if length > _DIRECTORY or count > 64 * ENTRIES:
        raise _TooBig(f"its list of contents is too long; at most {ENTRIES} files are taken")


def _open_zip(archive: zipfile.ZipFile, bundle: Bundle, problems: Problems) -> None:
    members = [m for m in archive.infolist() if not m.is_dir() and not _is_junk(m.filename, bundle)]
    if not _within_limits([(m.filename, m.file_size) for m in members], problems):
        return
    if sum(m.compress_size for m in members) > Path(str(archive.filename)).stat().st_size:
        problems.add("zip-bomb", "its files overlap inside the archive.", file=bundle.name, hint="Pack the files again.")
        return
    seen: set[str] = set()
    for member in members:
        if member.filename in seen:
            problems.add("duplicate-entry", "the archive holds this name twice.", file=member.filename)
        elif _is_safe(member, problems):
            bundle.entries.append(Entry(member.filename, member.file_size, lambda member=member: archive.open(member)))
        seen.add(member.filename)


def _is_safe(member: zipfile.ZipInfo, problems: Problems) -> bool:
    name = member.filename
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if name.startswith(("/", "\\")) or ".." in parts or name[1:2] == ":":
        problems.add("unsafe-path", "the path leaves the archive.", file=name, hint="Use paths below the archive's top.")
    elif stat.S_ISLNK(member.external_attr >> 16):
        problems.add("symlink", "a link is not followed.", file=name, hint="Put the file itself there.")
    elif member.flag_bits & 0x1:
        problems.add("encrypted", "the file is encrypted.", file=name, hint="Pack it without a password.")
    elif member.file_size > RATIO * max(member.compress_size, 1):
        problems.add("zip-bomb", f"it unpacks to more than {RATIO} times its packed size.", file=name)
    else:
        return _not_nested(name, problems)
    return False


def _not_nested(name: str, problems: Problems) -> bool:
    if name.lower().endswith(ARCHIVES):
        problems.add("nested-archive", "an archive inside a submission is not opened.", file=name, hint="Put its files there unpacked.")
        return False
    return True


def _is_junk(name: str, bundle: Bundle) -> bool:
    """Files that operating systems leave behind; said once, then forgotten."""
    parts = PurePosixPath(name).parts
    junk = next((p for p in parts if p in _JUNK or p.startswith("._")), None)
    if junk is not None:
        notice = f"ignored: {junk} and the like"
        if notice not in bundle.notices and not any("and the like" in n for n in bundle.notices):
            bundle.notices.append(notice)
    return junk is not None


def _within_limits(files: list[tuple[str, int]], problems: Problems) -> bool:
    if len(files) > ENTRIES:
        problems.add("too-many-files", f"more than {ENTRIES} files.", hint="Send the prediction files alone.")
        return False
    if sum(size for _, size in files) > UNPACKED:
        largest = max(files, key=lambda f: f[1])[0]
        problems.add("too-large", f"more than {UNPACKED // 1024**2} MB unpacked.", file=largest, hint="Send the prediction files alone.")
        return False
    return True
