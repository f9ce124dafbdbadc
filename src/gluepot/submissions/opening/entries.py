"""Files of a submission, and the checks common to all of them: limits, names, junk."""

import os
import stat
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from gluepot.answers.form import shown
from gluepot.masking import mask_secrets
from gluepot.submissions.problems import Problems

UNPACKED = 512 * 1024**2
ENTRIES = 200
LONGEST_NAME = 255
ARCHIVES = (".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".7z", ".rar", ".zst")
_ALONE = "Send the prediction files alone."
_JUNK = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".git", ".ipynb_checkpoints"}
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode categories that a terminal interprets instead of showing, and lone surrogates."""


@dataclass
class SubmissionFile:
    """One file of a submission."""

    name: str
    size: int
    open: Callable[[], IO[bytes]]


@dataclass
class Bundle:
    """The files of a submission that are safe to read."""

    name: str
    entries: list[SubmissionFile] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    junk: list[str] = field(default_factory=list)
    """Names below it that are ignored."""
    single: bool = False
    """Whether it is one bare file, whose name need not be meaningful."""


def displayed(name: str) -> str:
    """Return a name as it can be printed and sent, quoted if necessary, with secrets masked."""
    return mask_secrets(name if _is_clean(name) else shown(name))


def displayed_path(path: Path | str) -> str:
    """Return a path as it can be printed and sent; each odd name in it is quoted, so that it stays distinct from others.

    >>> displayed_path("in/a\\nb.txt")
    "in/'a\\\\nb.txt'"
    """
    return "/".join(map(displayed, str(path).split("/")))


def _is_clean(name: str) -> bool:
    return len(name) <= LONGEST_NAME and _UNSEEN.isdisjoint(map(unicodedata.category, name))


def has_safe_name(name: str, problems: Problems) -> bool:
    """Return whether a name is short, visible, and stays below the submission's top; report a problem otherwise."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not _is_clean(name):
        message = f"a name of more than {LONGEST_NAME} characters, or with invisible ones."
        problems.add("unsafe-path", message, file=shown(name), hint="Rename the file.")
    elif not parts or name.startswith(("/", "\\")) or ".." in parts or name[1:2] == ":":
        problems.add("unsafe-path", "the path leaves the submission.", file=name, hint="Use paths below the submission's top.")
    else:
        return True
    return False


def is_no_archive(name: str, problems: Problems) -> bool:
    if name.lower().endswith(ARCHIVES):
        problems.add("nested-archive", "an archive inside a submission is not opened.", file=name, hint="Put its files there unpacked.")
        return False
    return True


def refuse_link(name: str, problems: Problems) -> None:
    problems.add("symlink", "a link is not followed.", file=displayed(name), hint="Put the file itself there.")


def is_junk(name: str, bundle: Bundle) -> bool:
    """Return whether a file was left behind by an operating system; the first such file adds a notice."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    junk = next((part for part in parts if part in _JUNK or part.startswith("._")), None)
    if junk is not None and not any(notice.startswith("ignored: ") for notice in bundle.notices):
        bundle.notices.append(f"ignored: {displayed(junk)} and the like")
    return junk is not None


def within_limits(files: Iterable[tuple[str, int]], place: str, problems: Problems) -> bool:
    """Return whether number and total size of the files are within the limits; report a problem otherwise."""
    files = list(files)
    if len(files) > ENTRIES:
        problems.add("too-many-files", f"more than {ENTRIES} files.", file=place, hint=_ALONE)
        return False
    if sum(size for _, size in files) > UNPACKED:
        largest = displayed(max(files, key=lambda file: file[1])[0])
        problems.add("too-large", f"more than {UNPACKED // 1024**2} MB unpacked; the largest is {largest}.", file=place, hint=_ALONE)
        return False
    return True


def open_plain(path: Path) -> IO[bytes]:
    """Open a regular file, and nothing that replaced it meanwhile: no link, no pipe that would wait for a writer."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("not an ordinary file")
    return os.fdopen(handle, "rb", buffering=0)
