"""Opening of a zip without trusting it: its directory, names, links, sizes and overlaps are checked before a byte is unpacked."""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path

from gluepot.submissions.opening.entries import (
    ENTRIES,
    Bundle,
    SubmissionFile,
    displayed,
    has_safe_name,
    is_junk,
    is_no_archive,
    refuse_link,
    within_limits,
)
from gluepot.submissions.problems import Problems

RATIO = 200
DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError)
"""Exceptions on reading a file or member with damaged bytes."""
BROKEN = (*DAMAGED, struct.error, RuntimeError, ValueError)
"""Exceptions on opening one; RuntimeError covers methods and versions that zipfile does not know."""
_DIRECTORY = 2 * 1024**2
"""A central directory beyond this size names far more than 200 files."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""zipfile unpacks bzip2 and LZMA without a limit: a few kilobytes can become gigabytes in one read."""
_AGAIN = "Pack the prediction files again as an ordinary zip."


class TooBigError(Exception):
    """A zip whose central directory is too large to be loaded."""


@contextmanager
def open_zip(path: Path, problems: Problems) -> Iterator[Bundle]:
    """Yield the members of an archive that are safe to read, while it is open."""
    bundle, name = Bundle(displayed(path.stem)), displayed(path.name)
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(_BoundedFile(str(path)))
            _take_members(zipfile.ZipFile(stream), name, bundle, problems)
        except TooBigError:
            problems.add("zip-bomb", f"its list of contents is too long; at most {ENTRIES} files are taken.", file=name, hint=_AGAIN)
        except BROKEN as error:
            problems.add("broken-archive", f"cannot be opened as a zip archive ({explain(error)}).", file=name, hint=_AGAIN)
        yield bundle


def explain(error: BaseException) -> str:
    """Return the reason in a few words, without the paths that the system adds."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return displayed(reason[:200]).rstrip(".") or type(error).__name__


class _BoundedFile(io.FileIO):
    """A file that refuses reads larger than a valid directory: zipfile loads that in one read, whatever its size."""

    def read(self, size: int | None = -1) -> bytes:
        if size is not None and size > _DIRECTORY:
            raise TooBigError
        return super().read(-1 if size is None else size) or b""


def _take_members(archive: zipfile.ZipFile, name: str, bundle: Bundle, problems: Problems) -> None:
    members = [member for member in archive.infolist() if not member.filename.endswith("/") and not is_junk(member.filename, bundle)]
    if not within_limits(((m.filename, m.file_size) for m in members), name, problems):
        return
    if _overlap(members):
        problems.add("zip-bomb", "its files overlap inside the archive.", file=name, hint=_AGAIN)
        return
    seen: set[str] = set()
    for member in members:
        if member.filename in seen:
            problems.add("duplicate-entry", "the archive holds this name twice.", file=displayed(member.filename), hint="Keep one of them.")
        elif _is_safe(member, problems):
            bundle.entries.append(SubmissionFile(member.filename, member.file_size, partial(archive.open, member)))
        seen.add(member.filename)


def _overlap(members: list[zipfile.ZipInfo]) -> bool:
    ordered = sorted(members, key=lambda member: member.header_offset)
    return any(one.header_offset + one.compress_size >= other.header_offset for one, other in pairwise(ordered))


def _is_safe(member: zipfile.ZipInfo, problems: Problems) -> bool:
    name = member.filename
    if not has_safe_name(name, problems):
        return False
    if stat.S_ISLNK(member.external_attr >> 16):
        refuse_link(name, problems)
    elif member.flag_bits & 0x41:  # standard and strong encryption
        problems.add("encrypted", "the file is encrypted.", file=name, hint="Pack it without a password.")
    elif member.compress_type not in _METHODS:
        message = f"packed by method {member.compress_type}; only stored and deflated files are read."
        problems.add("unsupported-compression", message, file=name, hint=_AGAIN)
    elif member.file_size > RATIO * max(member.compress_size, 1):
        problems.add("zip-bomb", f"it unpacks to more than {RATIO} times its packed size.", file=name, hint="Send predictions, not filler.")
    else:
        return is_no_archive(name, problems)
    return False
